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

/** A link inside of the button that opens an operation would be a control in a control; the button sets the address, too. */
const plainPath =
  (_, { React }) =>
  ({ text }) =>
    React.createElement("span", null, text);

const attributesOf = {
  ".information-container": { role: "region", "aria-label": "About the API" },
  ".filter-container": { role: "search" },
  ".modal-ux": { role: "dialog", "aria-modal": "true", "aria-label": "Available authorizations" },
  ".close-modal": { "aria-label": "Close" },
  // what it says is its name
  ".modal-btn.auth[aria-label]": { "aria-label": null },
  "input[type=file]": { "aria-label": "File" },
  // those that scroll are reached by keyboard
  "pre.microlight": { tabindex: "0" },
};

// Swagger UI has parts outside of its main one, begins with the third level below its title, and names tags and schemas
// on different ones
const content = document.querySelector("#swagger-ui");
new MutationObserver(() => {
  for (const [selector, attributes] of Object.entries(attributesOf)) {
    for (const element of content.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(attributes)) {
        if (value === null) element.removeAttribute(name);
        else element.setAttribute(name, value);
      }
    }
  }
  for (const button of content.querySelectorAll(".json-schema-2020-12-accordion")) {
    // those of schemas without a title
    if (button.textContent === "") button.setAttribute("aria-label", "Fields");
  }
  for (const heading of content.querySelectorAll(":is(h3, h4, h5):not([aria-level])")) {
    const level = heading.closest(".models") ? 2 : Number(heading.localName[1]) - 1;
    heading.setAttribute("aria-level", level);
  }
}).observe(content, { childList: true, subtree: true });

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
  plugins: [
    () => ({
      // this server is the only one
      wrapComponents: { responseBody: showMedia, DeepLink: plainPath, ServersContainer: () => () => null },
    }),
  ],
});
