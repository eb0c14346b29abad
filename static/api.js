// Shows the description of the API with Swagger UI.
document.documentElement.classList.toggle("dark-mode", matchMedia("(prefers-color-scheme: dark)").matches);
const target = document.getElementById("swagger-ui");
SwaggerUIBundle({
  url: target.dataset.schema,
  domNode: target,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  requestInterceptor(request) {
    // Requests JSON, because the site would respond with an HTML page to operations that also offer CSV files.
    request.headers.Accept ??= "application/json";
    return request;
  },
});
