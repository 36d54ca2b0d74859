// Starts Swagger UI in the colors that the system uses, and shows images, sounds and films in answers.

const dark = matchMedia("(prefers-color-scheme: dark)");
const useColors = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", useColors);
useColors();

const elements = { image: "img", video: "video", audio: "audio" };

/** Swagger UI offers only a download of files that have a name, and does not know films. */
const showMedia = (Original, { React }) =>
  function MediaBody(props) {
    const { content, contentType = "" } = props;
    const [kind] = contentType.split("/");
    const element = elements[kind];
    const url = React.useMemo(
      () => (content instanceof Blob ? URL.createObjectURL(new Blob([content], { type: contentType })) : undefined),
      [content, contentType],
    );
    React.useEffect(() => () => url && URL.revokeObjectURL(url), [url]);
    if (!element || !url) return React.createElement(Original, props);
    const options = kind === "image" ? { alt: "The image of the response" } : { controls: true, playsInline: true };
    return React.createElement(
      "div",
      { className: "media-body" },
      React.createElement("h5", null, "Response body"),
      React.createElement(element, { src: url, ...options }),
      React.createElement("p", null, React.createElement("a", { href: url, download: "" }, "Download file")),
    );
  };

SwaggerUIBundle({
  url: "/api/openapi.json",
  dom_id: "#swagger-ui",
  validatorUrl: null,
  deepLinking: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  filter: true,
  plugins: [() => ({ wrapComponents: { responseBody: showMedia } })],
});
