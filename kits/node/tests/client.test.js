// The client and an account: results, errors, clocks, wallets, scenarios, personas.

import assert from "node:assert/strict";
import test from "node:test";

import { ControlError, ServiceError, sharedSimulator, TransportError, withAccount } from "svc-simulator";

const ASHA = { pan: "AAAAA0000A", name: "Asha Rao" };

test("a result is typed and repeats the reference", withAccount(async ({ client }) => {
  const result = await client.verifyIdentityPan(ASHA, { referenceId: "order-7" });
  assert.deepEqual([result.status, result.referenceId, result.httpStatus], ["completed", "order-7", 200]);
  assert.equal(result.data.nameOnPan, "ASHA RAO");
}));

test("an error has code, message and retryable", withAccount(async ({ client }) => {
  await assert.rejects(client.verifyIdentityPan({ pan: "AAAAA9999A" }), (error) => {
    assert.ok(error instanceof ServiceError);
    assert.deepEqual(
      [error.code, error.reason, error.retryable, error.httpStatus],
      ["SVC_NO_RECORD_FOUND", "The source has no such record.", false, 422],
    );
    return true;
  });
}));

test("an operation in place of a path is refused", withAccount(async ({ client }) => {
  const refused = { name: "TypeError", message: /^"verify.identity.pan" is no path: one begins with a slash/ };
  assert.throws(() => client.call("verify.identity.pan", ASHA), refused);
}));

test("a setting that there is not is refused", withAccount(async ({ account, client }) => {
  const refused = { name: "TypeError", message: 'there is no setting "tmes"; there is times, when' };
  assert.throws(() => account.failNext("verify.identity.pan", "SVC_PROVIDER_ERROR", { tmes: 3 }), refused);
  assert.throws(() => client.verifyIdentityPan(ASHA, { idempotencykey: "order-7" }), /"idempotencykey"/);
}));

test("the same key and body is a replay", withAccount(async ({ account, client }) => {
  const first = await client.verifyIdentityPan(ASHA, { idempotencyKey: "order-7" });
  const again = await client.verifyIdentityPan(ASHA, { idempotencyKey: "order-7" });
  assert.deepEqual([first.replayed, again.replayed], [false, true]);
  assert.equal((await account.calls()).length, 1);
}));

test("a reference in any script comes back", withAccount(async ({ client }) => {
  assert.equal((await client.verifyIdentityPan(ASHA, { referenceId: "नमस्ते" })).referenceId, "नमस्ते");
}));

test("a text that no header can have is refused", withAccount(async ({ account, client }) => {
  const refused = { name: "TypeError", message: /^idempotencyKey: "x\\ny" has a line break/ };
  assert.throws(() => client.verifyIdentityPan(ASHA, { idempotencyKey: "x\ny" }), refused);
  assert.equal((await account.calls()).length, 0);
}));

test("a call on live is paid from the wallet", withAccount(async ({ account, wallet }) => {
  await wallet.setBalance(100);
  const { billing } = await account.liveClient().verifyIdentityPan(ASHA);
  assert.equal(await wallet.balance(), 100 - billing.amount);
  await wallet.setBalance(0);
  await assert.rejects(account.liveClient().verifyIdentityPan(ASHA), { code: "SVC_INSUFFICIENT_BALANCE" });
  await wallet.topUp(50);
  assert.equal(await wallet.balance(), 50);
}));

for (const wire of ['"reset"', '"garbage"', "{ cut_after = 20 }"]) {
  test(`a wire with ${wire} is no answer and the key brings it`, withAccount(async ({ account, client }) => {
    await account.scenarios.add(
      `[[scenario]]\nname = "broken"\noperation = "*"\nthen = { success = {}, wire = ${wire} }`,
    );
    await assert.rejects(client.verifyIdentityPan(ASHA, { idempotencyKey: "order-7" }), TransportError);
    assert.ok((await client.verifyIdentityPan(ASHA, { idempotencyKey: "order-7" })).replayed);
  }));
}

test("a client gives up after its time-out", withAccount(async ({ account }) => {
  await account.scenarios.add('[[scenario]]\nname = "silent"\noperation = "*"\nthen = { success = {}, wire = "never" }');
  await assert.rejects(account.client({ timeoutMs: 200 }).verifyIdentityPan(ASHA), /no answer in 200 ms/);
}));

test("a pending call is looked up", withAccount(async ({ client }) => {
  const { verificationId } = await client.verifyEmploymentUan({ uan: "100000000202" });
  assert.ok((await client.verification(verificationId)).pending);
}));

test("usage says what was spent", withAccount(async ({ account }) => {
  const live = account.liveClient();
  const { billing } = await live.verifyIdentityPan(ASHA);
  const { totals, endpoints } = (await live.usage()).data;
  assert.deepEqual([totals.calls, totals.amount, endpoints.length], [1, billing.amount, 1]);
  assert.deepEqual((await live.usage({ from: "2001-01-01", to: "2001-01-31" })).data.endpoints, []);
}));

test("next calls fail and then succeed", withAccount(async ({ account, client }) => {
  await account.failNext("verify.identity.pan", "SVC_SOURCE_TIMEOUT", { times: 2, when: { pan: ASHA.pan } });
  await assert.rejects(client.verifyIdentityPan(ASHA), { code: "SVC_SOURCE_TIMEOUT", retryable: true });
  await assert.rejects(client.verifyIdentityPan(ASHA), { code: "SVC_SOURCE_TIMEOUT" });
  assert.equal((await client.verifyIdentityPan(ASHA)).status, "completed");
}));

test("any text is asked for", withAccount(async ({ account, client }) => {
  const name = 'quoted " \\ \u007f \n नमस्ते';
  await account.failNext("screen.negative-diligence", "SVC_SOURCE_TIMEOUT", { when: { name } });
  await assert.rejects(client.screenNegativeDiligence({ name }), { code: "SVC_SOURCE_TIMEOUT" });
}));

test("afterwards it answers as it would have", withAccount(async ({ account, client }) => {
  await account.failNext("verify.identity.pan", "SVC_PROVIDER_ERROR");
  await account.failNext("verify.identity.pan", "SVC_SOURCE_TIMEOUT");
  for (const code of ["SVC_SOURCE_TIMEOUT", "SVC_PROVIDER_ERROR", "SVC_NO_RECORD_FOUND", "SVC_NO_RECORD_FOUND"]) {
    await assert.rejects(client.verifyIdentityPan({ pan: "AAAAA9999A" }), { code });
  }
}));

test("a mistake in a scenario is thrown with its hint", withAccount(async ({ account }) => {
  const text = '[[scenario]]\nname = "x"\noperatoin = "*"\nthen = { success = {} }';
  await assert.rejects(account.scenarios.add(text), (error) => {
    assert.ok(error instanceof ControlError && error.mistakes.length > 0);
    return /did you mean `operation`/.test(error.message);
  });
}));

test("a removed scenario decides nothing", withAccount(async ({ account, client }) => {
  await account.scenarios.remove(await account.failNext("*", "SVC_PROVIDER_ERROR", { times: 9 }));
  assert.equal((await client.verifyIdentityPan(ASHA)).status, "completed");
}));

test("a frozen clock moves only when told", withAccount(async ({ clock }) => {
  await clock.freeze();
  const before = await clock.now();
  await clock.advance("90m");
  await clock.advance(30_005);
  assert.equal((await clock.now()) - before, 90 * 60_000 + 30_005);
  await clock.set(new Date(before.getTime() + 86_400_000));
  assert.equal((await clock.resume()).state, "running");
}));

test("next moves to what is due first", withAccount(async ({ account, client, clock }) => {
  await clock.freeze();
  await account.pendNext("verify.employment.uan", { after: "25s" });
  await client.verifyEmploymentUan({ uan: "100000000001" });
  assert.deepEqual((await clock.timeline()).due.map((due) => due.kind), ["resultReady"]);
  assert.deepEqual((await clock.next()).happened.map((event) => event.kind), ["resultReady"]);
}));

test("a persona is known by every operation", withAccount(async ({ simulator, client }) => {
  const { expired_licence: kaveri } = await simulator.personas();
  const { data } = await client.verifyIdentityPan({ pan: kaveri.identifiers.pan });
  assert.equal(data.nameOnPan, kaveri.display);
}));

test("a failed test's error tells the calls and why each came out so", async () => {
  const failing = withAccount(async ({ client }) => {
    await client.verifyIdentityPan({ pan: "AAAAA0503A", nmae: "Asha" });
  });
  await assert.rejects(failing(), (error) => {
    assert.match(error.message, /test verify\.identity\.pan 503 failed SVC_SOURCE_UNAVAILABLE\n {4}because scenario/);
    assert.match(error.stack, /ignored, since no field is called so: nmae/);
    return true;
  });
});

test("a failed test without a call tells the keys that did not work", async () => {
  const failing = withAccount(async ({ account }) => {
    await account.client({ apiKey: "svc_test_nobody_here" }).verifyIdentityPan(ASHA);
  });
  await assert.rejects(failing(), (error) => {
    assert.match(error.message, /:\nnone; the newest calls whose key does not work.*\n.*verify\.identity\.pan 401 SVC_AUTH_INVALID, svc_test_/);
    return true;
  });
});

test("a test may delete its account", withAccount(({ account }) => account.delete()));

test("a test that fails after it deleted its account fails with its own error", async () => {
  const failing = withAccount(async ({ account }) => {
    await account.delete();
    throw new Error("of the test");
  });
  await assert.rejects(failing(), /of the test/);
});

test("a failed assertion tells the calls once, and says that its message is no longer generated", async () => {
  const failing = withAccount(async ({ client }) => {
    const { data } = await client.verifyIdentityPan(ASHA);
    assert.equal(data.nameOnPan, "RAVI");
  });
  await assert.rejects(failing(), (error) => {
    assert.equal(error.generatedMessage, false);
    assert.equal(error.stack.split("calls of account").length, 2);
    return true;
  });
});

test("accounts do not see each other", withAccount(async ({ account, client }) => {
  const simulator = await sharedSimulator();
  const other = await simulator.openAccount();
  await other.failNext("*", "SVC_PROVIDER_ERROR");
  await client.verifyIdentityPan(ASHA);
  assert.deepEqual(await other.calls(), []);
  await account.reset();
  assert.deepEqual(await account.calls(), []);
}));
