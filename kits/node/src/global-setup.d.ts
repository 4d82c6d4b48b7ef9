/** `globalSetup` of vitest and of jest: one simulator for all workers. */
export default function setup(): Promise<() => Promise<void>>;
export declare function teardown(): Promise<void>;
