// Compiled by `tsc --strict` and never run: what the types allow, and what they refuse.

import { Account, ServiceError, startSimulator, withAccount } from "svc-simulator";

export async function allowed(): Promise<string> {
  const simulator = await startSimulator();
  const account: Account = await simulator.openAccount({ walletInr: 10 });
  const result = await account.client().verifyIdentityPan({ pan: "AAAAA0000A" }, { idempotencyKey: "order-7" });
  const score: number = result.data.nameMatchScore;
  const { data: spent } = await account.liveClient().usage({ from: "2026-01-01" });
  const amount: number = spent.totals.amount + spent.endpoints.length;
  return `${amount} ${score} ${result.data.nameOnPan} ${(await account.clock.next()).happened[0]?.kind}`;
}

export const refused = withAccount(async ({ client, account }) => {
  // @ts-expect-error a required field is missing
  await client.verifyIdentityPan({ name: "Asha Rao" });
  // @ts-expect-error no field is called so
  await client.verifyIdentityPan({ pan: "AAAAA0000A", nmae: "Asha Rao" });
  // @ts-expect-error a text is no number
  const score: number = (await client.verifyIdentityPan({ pan: "AAAAA0000A" })).data.nameOnPan;
  // @ts-expect-error there is no such decision
  await account.decideConsent("svcv_1", "maybe");
});

export function isTransient(error: unknown): boolean {
  return error instanceof ServiceError && error.retryable && error.code !== "SVC_INTERNAL_ERROR";
}
