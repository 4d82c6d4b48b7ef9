// Receives webhook deliveries of the Verification Service. Standard library only, Node 18 or later.
//
// Settings, from the environment:
//   WEBHOOK_SECRET  the webhook signing secret (required)
//   PORT            the port on 127.0.0.1; 0 takes a free one (default 8080)
//   TOLERANCE_S     how many seconds old, or ahead, a signature may be (default 300)

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const MAX_BODY_BYTES = 16 * 1024 * 1024;

// Exactly two parts, the time first.
const HEADER = /^t=([0-9]{1,12}),v1=([0-9a-f]{64})$/;

/** Whether the header is the signature of exactly these bytes, and of this time. */
function signatureIsValid(secret, header, body, nowS, toleranceS) {
  const parts = HEADER.exec(header);
  if (parts === null) {
    return false;
  }
  const [, timestamp, signature] = parts;
  // The text of the timestamp is signed, not the number, so it is used as it stands.
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest();
  // Not `===`: how long that takes tells how many characters were guessed right. Both have 32 bytes:
  // timingSafeEqual throws on unequal lengths, and the pattern leaves only 64 digits.
  if (!timingSafeEqual(expected, Buffer.from(signature, "hex"))) {
    return false;
  }
  // An old signature is a recorded delivery that somebody sends again.
  return Math.abs(nowS - Number(timestamp)) <= toleranceS;
}

/**
 * The verifications acted on so far. A service would keep them in its database, with a unique
 * index, and add the id in the same transaction as what it does about it.
 */
class Deliveries {
  #done = new Map();

  /** Acts on a verification, unless that was done before. Deliveries come at least once. */
  async actOnce(envelope) {
    const id = envelope.verificationId;
    if (!this.#done.has(id)) {
      // The promise is kept, not the result: a duplicate that comes meanwhile waits for it, and is
      // not told that all is done before it is.
      this.#done.set(id, this.act(envelope));
    }
    try {
      await this.#done.get(id);
    } catch (error) {
      // The next attempt must try again.
      this.#done.delete(id);
      throw error;
    }
  }

  /** Your application's work. Should be short: after 10 seconds the service tries again. */
  async act(envelope) {
    console.log(`accepted ${envelope.verificationId} ${envelope.status}`);
  }
}

/** The raw bytes, before anything parses them: what is printed anew has another signature. */
async function rawBody(request) {
  const pieces = [];
  let length = 0;
  // Else leaving the loop would close the connection, before it is answered.
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    length += piece.length;
    if (length > MAX_BODY_BYTES) {
      return null;
    }
    pieces.push(piece);
  }
  // Not `text += piece`: a character may lie across two pieces.
  return Buffer.concat(pieces);
}

/** The status of the answer: 204 to what is taken, 400 to what is not. */
async function receive(request, settings, deliveries) {
  if (request.method !== "POST") {
    return 405;
  }
  const body = await rawBody(request);
  if (body === null) {
    return 413;
  }
  // Several headers: somebody added one. Neither is believed.
  const headers = request.headersDistinct["x-service-signature"] ?? [];
  const nowS = Date.now() / 1000;
  if (
    headers.length !== 1 ||
    !signatureIsValid(settings.secret, headers[0], body, nowS, settings.toleranceS)
  ) {
    return 400;
  }
  // Only what is signed is parsed.
  let envelope;
  try {
    envelope = JSON.parse(body.toString("utf8"));
  } catch {
    return 400;
  }
  if (typeof envelope?.verificationId !== "string") {
    return 400;
  }
  await deliveries.actOnce(envelope);
  return 204;
}

function main() {
  const secret = process.env.WEBHOOK_SECRET ?? "";
  if (secret === "") {
    // With an empty secret anybody could sign.
    console.error("WEBHOOK_SECRET is not set: give the webhook signing secret");
    process.exit(1);
  }
  const settings = { secret, toleranceS: Number(process.env.TOLERANCE_S ?? "300") };
  if (!Number.isFinite(settings.toleranceS)) {
    // Compared with what is no number, every signature would be too old.
    console.error("TOLERANCE_S is not a number of seconds");
    process.exit(1);
  }
  const deliveries = new Deliveries();
  const server = createServer(async (request, response) => {
    let status = 500;
    try {
      status = await receive(request, settings, deliveries);
    } catch (error) {
      // Anything but 2xx: the service tries again later.
      console.error("a delivery failed:", JSON.stringify(String(error)));
    }
    // A body that was not read to its end is no request.
    response.writeHead(status, status === 204 ? {} : { Connection: "close" }).end();
  });
  server.requestTimeout = 30_000;
  server.listen(Number(process.env.PORT ?? "8080"), "127.0.0.1", () => {
    console.log(`listening on 127.0.0.1:${server.address().port}`);
  });
}

main();
