// Stops the simulator that `global-setup.js` started: `globalTeardown` of jest.

export { teardown as default } from "./global-setup.js";
