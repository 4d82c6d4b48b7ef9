// A test's body with an account of its own, for any test runner.

import { sharedSimulator } from "./simulator.js";
import { webhookInbox } from "./webhook-inbox.js";

/**
 * Makes a test of a body that takes an account. Where the body fails, the error's message ends with the account's calls
 * and why each came out so.
 */
export function withAccount(body) {
  return async () => {
    const simulator = await sharedSimulator();
    const account = await simulator.openAccount();
    const inboxes = [];
    const openInbox = async (settings) => {
      const inbox = await webhookInbox(settings);
      inboxes.push(inbox);
      await account.setWebhook(inbox);
      return inbox;
    };
    const tidyUp = async () => {
      await Promise.all(inboxes.map((inbox) => inbox.close()));
      await account.delete().catch(unlessDeleted);
    };
    try {
      const { clock, wallet, deliveries } = account;
      await body({ simulator, account, client: account.client(), clock, wallet, deliveries, openInbox });
    } catch (error) {
      await explain(error, account);
      // The test's own error matters more than what goes wrong after it.
      await tidyUp().catch(() => {});
      throw error;
    }
    await tidyUp();
  };
}

/** A test may have deleted its account itself. */
function unlessDeleted(error) {
  if (error.code !== "ACCOUNT_NOT_FOUND") {
    throw error;
  }
}

async function explain(error, account) {
  if (typeof error !== "object" || error === null) {
    return;
  }
  try {
    // Where it is made when it is read first, as in jest, it must be read before the message changes.
    const { message: before, stack } = error;
    error.message = `${before}\n\n${await account.report()}`;
    // What runners show is the stack, which holds the message as it was.
    error.stack = stack?.replace(before, () => error.message);
    if (error.generatedMessage === true) {
      // jest writes a message of its own in the place of one that node:assert generated.
      error.generatedMessage = false;
    }
  } catch {
    // The test's own error matters more than why it can't be added to.
  }
}
