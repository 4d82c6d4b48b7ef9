export default {
  test: {
    globals: true,
    globalSetup: ["svc-simulator/global-setup"],
    include: ["**/*.suite.js"],
    maxWorkers: 8,
  },
};
