// Nothing is tried from here: a browser does not let a page of this listener call the other two, which are other sites.
SwaggerUIBundle({
  dom_id: "#swagger-ui",
  url: "../openapi.json",
  docExpansion: "none",
  filter: true,
  showExtensions: true,
  supportedSubmitMethods: [],
  validatorUrl: null,
});
