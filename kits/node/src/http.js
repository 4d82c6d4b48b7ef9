// One HTTP request on a connection of its own; no proxies, no redirects.

import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
// Those of the machine, also where a test fakes the global ones.
import { clearTimeout, setTimeout } from "node:timers";

/** Sends a request and reads the whole answer; rejects where there is none that can be read. */
export function request(method, url, { headers = {}, body, timeoutMs = 30_000 } = {}) {
  const send = url.startsWith("https:") ? httpsRequest : httpRequest;
  const content = body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const call = send(url, { method, agent: false, headers: { ...headers, ...content } }, (answer) => {
      const pieces = [];
      answer.on("data", (piece) => pieces.push(piece));
      answer.on("error", fail);
      answer.on("end", () => {
        clearTimeout(timer);
        if (!answer.complete) {
          return fail(new Error("the answer broke off"));
        }
        resolve({ status: answer.statusCode, headers: answer.headers, text: Buffer.concat(pieces).toString("utf8") });
      });
    });
    function fail(error) {
      clearTimeout(timer);
      reject(new Error(`${method} ${url}: ${error.message}`, { cause: error }));
    }
    const timer = setTimeout(() => call.destroy(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
    call.on("error", fail);
    // Together with a text the headers would be written in its encoding.
    call.end(body === undefined ? undefined : Buffer.from(body));
  });
}
