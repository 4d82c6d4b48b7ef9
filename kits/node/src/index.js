// Test helpers for the Verification Service simulator.

export { findBinary } from "./binary.js";
export { Client, ServiceError, TransportError } from "./client.js";
export { ControlError } from "./control.js";
export { HEADER_NAME, sign, signatureFault } from "./signature.js";
export { connectSimulator, sharedSimulator, startSimulator } from "./simulator.js";
export { webhookInbox } from "./webhook-inbox.js";
export { withAccount } from "./with-account.js";
