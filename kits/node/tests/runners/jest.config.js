export default {
  globalSetup: "svc-simulator/global-setup",
  globalTeardown: "svc-simulator/global-teardown",
  testMatch: ["**/*.suite.js"],
  transform: {},
  maxWorkers: 8,
};
