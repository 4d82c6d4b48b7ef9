// The inbox: signatures, waiting, and receivers that fail.

import assert from "node:assert/strict";
import test from "node:test";

import { HEADER_NAME, sign, signatureFault, webhookInbox, withAccount } from "svc-simulator";

const BODY = '{"verificationId":"svcv_1","status":"completed"}';
const PENDING = { uan: "100000000202" };

test("a result comes signed once it is due", withAccount(async ({ client, clock, openInbox }) => {
  const inbox = await openInbox();
  const pending = await client.verifyEmploymentUan(PENDING);
  await clock.advance("1h");
  const webhook = await inbox.wait(pending.verificationId);
  assert.equal(webhook.envelope.status, "completed");
  assert.equal(signatureFault(inbox.secret, [webhook.headers[HEADER_NAME.toLowerCase()]], webhook.body), undefined);
}));

test("a failing receiver gets it again", withAccount(async ({ client, clock, deliveries, openInbox }) => {
  const inbox = await openInbox();
  inbox.failNext(2, 503);
  await client.verifyEmploymentUan(PENDING);
  await clock.advance("6h");
  assert.deepEqual(inbox.attempts.map((webhook) => webhook.answered), [503, 503, 204]);
  assert.equal((await deliveries.list())[0].attempts.length, 3);
}));

test("a receiver that always fails gets it six times", withAccount(async ({ client, clock, deliveries, openInbox }) => {
  const inbox = await openInbox();
  inbox.failNext(99);
  await client.verifyEmploymentUan(PENDING);
  await clock.advance("24h");
  assert.equal(inbox.attempts.length, 6);
  const [dead] = await deliveries.list({ state: "dead" });
  inbox.clear();
  await deliveries.redeliver(dead.id);
  assert.equal((await inbox.wait()).verificationId, dead.verificationId);
}));

test("a slow receiver is waited for", withAccount(async ({ client, clock, openInbox }) => {
  const inbox = await openInbox();
  inbox.slowNext(300);
  await client.verifyEmploymentUan(PENDING);
  const began = performance.now();
  await clock.advance("1h");
  assert.ok(performance.now() - began >= 290);
  assert.equal(inbox.received.length, 1);
}));

test("a wrong signature is refused with the reason", withAccount(async ({ account, client, clock, openInbox }) => {
  const inbox = await openInbox();
  await account.scenarios.add(`
    [[scenario]]
    name = "forged"
    operation = "verify.employment.uan"
    then = { pending = {}, after = "1s", webhook = { signature = "wrong" } }
  `);
  const pending = await client.verifyEmploymentUan({ uan: "100000000001" });
  await clock.advance("1s");
  assert.deepEqual(inbox.received, []);
  assert.deepEqual(inbox.refused.map((webhook) => webhook.answered), [400]);
  await assert.rejects(
    inbox.wait(pending.verificationId, { timeoutMs: 10 }),
    /answered 400, the signature does not fit the secret/,
  );
}));

test("waiting in vain says what to do", async () => {
  const inbox = await webhookInbox();
  await assert.rejects(inbox.wait("svcv_1", { timeoutMs: 10 }), /no webhook of svcv_1 .*\n.*move it with clock/);
  await inbox.close();
});

test("a consent that is refused is told", withAccount(async ({ account, client, openInbox }) => {
  const inbox = await openInbox();
  const started = await client.verifyDocumentDigilocker({ redirectUrl: "https://app.example/return" });
  await account.decideConsent(started.verificationId, "refuse");
  assert.equal((await inbox.wait(started.verificationId)).envelope.status, "failed");
}));

for (const [headers, why] of [
  [[], /there are 0/],
  [[sign("whsec_sample", BODY), sign("whsec_sample", BODY)], /there are 2/],
  [["t=1,v1=abc"], /is not t=/],
  [[`${sign("whsec_sample", BODY)}\n`], /is not t=/],
  [[sign("whsec_other", BODY)], /does not fit/],
  [[sign("whsec_sample", `${BODY}\n`)], /does not fit/],
  [[sign("whsec_sample", BODY, 1_000_000_000)], /more than 300 s/],
]) {
  test(`a signature that is none: ${why}`, () => assert.match(signatureFault("whsec_sample", headers, BODY), why));
}

test("a signature is as the specification computes it", () => {
  // printf '%s' '1800000000.{}' | openssl dgst -sha256 -hmac whsec_sample
  assert.equal(sign("whsec_sample", "{}", 1_800_000_000), "t=1800000000,v1=f52d4e0e4419c81c39140518136f0ea025fb48625c1de7c62ce1ea91a41b6c1a");
});
