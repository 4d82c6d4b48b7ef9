// Webhook signatures, as the specification says.

import { createHmac, timingSafeEqual } from "node:crypto";

export const HEADER_NAME = "X-Service-Signature";

// Exactly two parts, the time first.
const HEADER = /^t=([0-9]{1,12}),v1=([0-9a-f]{64})$/;

function digest(secret, moment, body) {
  return createHmac("sha256", secret).update(`${moment}.`).update(body).digest();
}

/** The header for a body, signed now or at the given time (in seconds since 1970). */
export function sign(secret, body, at = Math.floor(Date.now() / 1000)) {
  return `t=${at},v1=${digest(secret, String(at), body).toString("hex")}`;
}

/** Why these values of the header do not sign exactly these bytes; undefined where they do. */
export function signatureFault(secret, headers, body, { toleranceS = 300 } = {}) {
  if (headers.length !== 1) {
    return `there are ${headers.length} ${HEADER_NAME} headers, not one`;
  }
  const parts = HEADER.exec(headers[0]);
  if (parts === null) {
    return `'${headers[0]}' is not t=<unix seconds>,v1=<64 lowercase hex digits>`;
  }
  const [, moment, signature] = parts;
  if (!timingSafeEqual(digest(secret, moment, body), Buffer.from(signature, "hex"))) {
    return "the signature does not fit the secret, the time and the raw body";
  }
  if (Math.abs(Date.now() / 1000 - Number(moment)) > toleranceS) {
    return `it was signed at ${moment}, more than ${toleranceS} s from now; with a faked clock let toleranceS be Infinity`;
  }
  return undefined;
}
