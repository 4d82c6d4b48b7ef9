/** `globalTeardown` of jest. */
export default function teardown(): Promise<void>;
