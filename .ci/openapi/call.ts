// Calls the simulator with the client that @hey-api/openapi-ts made: a result, a failure, a promise. The types are
// those of openapi-typescript, too: what one generator makes of an answer, the other takes.
import type { components } from "./types";
import { createClient } from "./client/client";
import { verifyEmploymentUan, verifyIdentityPan } from "./client";

declare const process: { argv: string[]; exit(code: number): never };

function check(holds: boolean, what: string, seen: unknown): asserts holds {
  if (holds) return;
  console.error(`typescript: ${what}:`, seen);
  process.exit(1);
}

async function main() {
  const client = createClient({ baseUrl: process.argv[2], auth: "svc_test_local_typescript" });

  const found = await verifyIdentityPan({ client, body: { pan: "AAAAA0000A" }, headers: { "Idempotency-Key": "ts-1" } });
  check(found.data !== undefined, "a result", found.error);
  const answer: components["schemas"]["VerifyIdentityPanAnswer"] = found.data;
  check(answer.success && answer.data.nameOnPan.length > 0, "a result", answer);

  const down = await verifyIdentityPan({ client, body: { pan: "AAAAA0503A" } });
  check(down.error !== undefined, "a failure", down.data);
  const detail: components["schemas"]["ErrorDetail"] = down.error.error;
  check(detail.retryable && detail.message.length > 0, "a failure that can be retried", detail);

  const later = await verifyEmploymentUan({ client, body: { uan: "100000000202" } });
  check(later.response?.status === 202 && later.data !== undefined, "a promise", later);
  check(later.data.status === "pending" && later.data.data.uan === "100000000202", "a promise", later.data);

  console.log("typescript: a result, a failure and a promise are typed");
}

main().catch((error) => check(false, "a call", error));
