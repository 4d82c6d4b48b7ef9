// The service's suite: nothing but the kit beside node:test.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { HEADER_NAME, sign, withAccount } from "svc-simulator";
import { Onboarding, service, Verifications } from "../src/onboarding.js";

const SECRET = "whsec_onboarding";
const ASHA = { name: "Asha Rao", pan: "AAAAA0000A", mobile: "9000000001", uan: "100000000001" };
const BODY = '{"verificationId":"svcv_1","status":"completed"}';

/** A test of the service, which is told the simulator's address, the account's key, and where its webhooks go. */
function served(body) {
  return withAccount(async (scene) => {
    const { sandboxUrl: baseUrl, testKey: apiKey } = scene.account;
    const server = service(new Onboarding(new Verifications({ baseUrl, apiKey, wait: async () => {} })), SECRET);
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${server.address().port}`;
    await scene.account.setWebhook({ url: `${url}/webhooks`, secret: SECRET });
    const send = async (path, content) => {
      const settings = content === undefined ? {} : { method: "POST", body: JSON.stringify(content) };
      return (await fetch(url + path, settings)).json();
    };
    try {
      await body({
        ...scene,
        url,
        apply: (changes = {}) => send("/applicants", { ...ASHA, ...changes }),
        confirm: ({ id }, otp = "000000") => send(`/applicants/${id}/otp`, { otp }),
        look: ({ id }) => send(`/applicants/${id}`),
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
}

const rule = (then) => `[[scenario]]\nname = "sample"\noperation = "verify.employment.uan"\nthen = { ${then} }`;

describe("onboarding", { concurrency: 8 }, () => {
  test("an applicant with everything right is approved", served(async ({ apply, confirm }) => {
    const applicant = await apply();
    assert.equal(applicant.state, "otp_sent");
    assert.equal((await confirm(applicant)).state, "approved");
  }));

  test("an unknown PAN is refused", served(async ({ apply }) => {
    assert.equal((await apply({ pan: "AAAAA9999A" })).reason, "SVC_NO_RECORD_FOUND");
  }));

  test("the name of somebody else is refused", served(async ({ apply }) => {
    assert.equal((await apply({ name: "Vikram Singh" })).reason, "NAME_DIFFERS");
  }));

  test("a wrong OTP is refused", served(async ({ apply, confirm }) => {
    assert.equal((await confirm(await apply(), "999999")).reason, "WRONG_OTP");
  }));

  test("a history that is pending arrives by webhook", served(async ({ account, clock, apply, confirm, look }) => {
    await account.pendNext("verify.employment.uan", { after: "20m" });
    const applicant = await apply();
    assert.equal((await confirm(applicant)).state, "waiting");
    await clock.advance("20m");
    assert.equal((await look(applicant)).state, "approved");
  }));

  test("a history that fails at last is refused", served(async ({ account, clock, apply, confirm, look }) => {
    await account.pendNext("verify.employment.uan", { after: "20m", error: "SVC_NO_RECORD_FOUND" });
    const applicant = await apply();
    await confirm(applicant);
    await clock.advance("20m");
    assert.equal((await look(applicant)).reason, "SVC_NO_RECORD_FOUND");
  }));

  test("a source that is down for two calls is asked again", served(async ({ account, apply }) => {
    await account.failNext("verify.identity.pan", "SVC_SOURCE_UNAVAILABLE", { times: 2 });
    assert.equal((await apply()).state, "otp_sent");
    const calls = await account.calls({ endpoint: "verify.identity.pan" });
    assert.deepEqual(calls.map((call) => call.httpStatus), [200, 503, 503]);
  }));

  test("a source that stays down is given up", served(async ({ account, apply }) => {
    await account.failNext("verify.identity.pan", "SVC_SOURCE_UNAVAILABLE", { times: 9 });
    assert.equal((await apply()).reason, "UNAVAILABLE");
    assert.equal((await account.calls()).length, 3);
  }));

  test("an answer that is lost is asked for again and executed once", served(async ({ account, apply }) => {
    await account.scenarios.add(rule('success = {}, wire = "reset"').replace("employment.uan", "identity.pan"));
    assert.equal((await apply()).state, "otp_sent");
    assert.equal((await account.calls({ endpoint: "verify.identity.pan" })).length, 1);
  }));

  test("two webhooks of one result do no harm", served(async ({ account, clock, apply, confirm, look }) => {
    await account.scenarios.add(rule('pending = {}, after = "1m", webhook = { copies = 2 }'));
    const applicant = await apply();
    await confirm(applicant);
    await clock.advance("1h");
    assert.equal((await look(applicant)).state, "approved");
  }));

  test("a wrong signature changes nothing", served(async ({ account, clock, deliveries, apply, confirm, look }) => {
    await account.scenarios.add(rule('pending = {}, after = "1m", webhook = { signature = "wrong" }'));
    const applicant = await apply();
    await confirm(applicant);
    await clock.advance("1m");
    assert.equal((await look(applicant)).state, "waiting");
    assert.deepEqual((await deliveries.list())[0].attempts.map((attempt) => attempt.status), [400]);
  }));

  test("only what the service signed just now is taken", served(async ({ url }) => {
    const post = async (signature) =>
      (await fetch(`${url}/webhooks`, { method: "POST", body: BODY, headers: { [HEADER_NAME]: signature } })).status;
    const wrong = ["t=1,v1=00", sign("whsec_other", BODY), sign(SECRET, `${BODY} `), sign(SECRET, BODY, 1_000_000_000)];
    assert.deepEqual(await Promise.all(wrong.map(post)), [400, 400, 400, 400]);
    assert.equal(await post(sign(SECRET, BODY)), 200);
  }));
});
