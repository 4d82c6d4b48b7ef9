// The tests that vitest and jest run; `test` and `expect` are globals in both.

import { sharedSimulator, withAccount } from "svc-simulator";

// In ES modules jest's own object is no global.
const fakes = globalThis.vi ?? import.meta.jest;

export function suite(name) {
  test(`${name}: all workers have the simulator that the set-up started`, async () => {
    expect((await sharedSimulator()).consoleUrl).toBe(process.env.SVC_SIMULATOR_SHARED);
  });

  for (let number = 0; number < 5; number += 1) {
    test(`${name}: the account is this test's alone (${number})`, withAccount(async ({ account, client }) => {
      await client.verifyIdentityPan({ pan: "AAAAA0000A" });
      expect(await account.calls()).toHaveLength(1);
    }));
  }

  test(`${name}: a result comes by webhook`, withAccount(async ({ client, clock, openInbox }) => {
    const inbox = await openInbox();
    const pending = await client.verifyEmploymentUan({ uan: "100000000202" });
    await clock.advance("1h");
    expect((await inbox.wait(pending.verificationId)).envelope.status).toBe("completed");
  }));

  test(`${name}: a faked clock neither refuses a webhook nor stops waiting`, withAccount(async ({ client, clock, openInbox }) => {
    const inbox = await openInbox({ toleranceS: Infinity });
    fakes.useFakeTimers();
    try {
      fakes.setSystemTime(new Date("2001-09-09"));
      const pending = await client.verifyEmploymentUan({ uan: "100000000202" });
      await clock.advance("1h");
      expect((await inbox.wait(pending.verificationId)).answered).toBe(204);
      await expect(inbox.wait("svcv_another", { timeoutMs: 50 })).rejects.toThrow(/came within 50 ms/);
    } finally {
      fakes.useRealTimers();
    }
  }));

  test(`${name}: an error tells the calls once`, async () => {
    const failing = withAccount(({ client }) => client.verifyIdentityPan({ pan: "AAAAA9999A" }));
    const error = await failing().catch((error) => error);
    expect(error.stack.split("calls of account")).toHaveLength(2);
  });

  test(`${name}: an error tells the calls`, async () => {
    const failing = withAccount(({ client }) => client.verifyIdentityPan({ pan: "AAAAA9999A" }));
    await expect(failing()).rejects.toThrow(/calls of account t_.*\n.*422 failed SVC_NO_RECORD_FOUND\n {4}because /s);
  });
}
