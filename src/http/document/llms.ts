import { checklist, firstRequests, guesses } from "./first-requests.ts";
import { operationsByTag } from "./operations.ts";
import type { ApiDocument, NamedOperation } from "./types.ts";

const introduction = `> A service that makes short marketing videos: it stores projects with media, templates and works, writes scenarios and generates scenes with AI providers, and renders frame-exact MP4 files.

Send JSON and a credential: \`Authorization: Bearer <token>\`. Errors are \`{ error, code, requestId, details? }\`: \`error\` is one sentence that says what to change.

The way to a video:

1. \`POST /api/auth/register\` or \`/api/auth/login\` gives an \`accessToken\`; \`POST /api/tokens\` makes an API token for a program.
2. \`POST /api/projects\` with \`{ "name" }\`, then \`POST /api/projects/{projectId}/works\` with what the video is about.
3. \`POST …/works/{workId}/scenario\` writes the scenes; \`POST …/works/{workId}/generate/scene/{sceneIndex}\` makes the image and the video of each. The provider \`local\` needs no key: \`x-llm-provider: local\`, \`x-image-provider: local\`, \`x-video-provider: local\`. Or upload a video of your own for a scene.
4. \`POST /api/export/validate\` with \`{ "projectId", "workId" }\` names what would fail; \`POST /api/export/frame?t=1\` draws one frame to look at.
5. \`POST /api/exports\` starts the export. Read \`/api/exports/{exportId}\` until its \`status\` is \`done\`, then download \`/api/exports/{exportId}/file\`.
6. \`PUT …/destinations/{destination}\` stores a bucket, an address or a YouTube channel; \`destinations\` of an export, a film or a batch sends each video there once, and \`GET /api/exports/{exportId}/deliveries\` says how that went.`;

const documents = `## Documents

- [OpenAPI](/api/openapi.json): every operation with its schemas
- [Reference](/docs/api.md): the same as Markdown
- [Errors](/docs/errors.md): the cause of each code, and what to do
- MCP at \`/mcp\`: tools for the whole way to a video, over streamable HTTP with the same tokens
- [Try it](/docs): in a browser`;

const firstSteps = [
  "## What you would guess, and what it is here",
  ["| You would guess | Here |", "|---|---|", ...guesses.map(([guess, here]) => `| ${guess} | ${here} |`)].join("\n"),
  "## Before you send",
  checklist.map((item) => `- [ ] ${item}`).join("\n"),
  "## Requests that work",
  "Replace the ids in angle brackets. All lengths are pixels of the frame, all times seconds.",
  ...firstRequests.map(
    ({ title, method, path, body }) =>
      `### ${title}\n\n\`${method} ${path}\`\n\n\`\`\`json\n${JSON.stringify(body, null, 1)}\n\`\`\``,
  ),
].join("\n\n");

/** Writes the document as llms.txt: what an agent needs first, and one line for each operation. */
export const toLlmsText = (document: ApiDocument): string =>
  [
    `# ${document.info.title}`,
    introduction,
    firstSteps,
    documents,
    ...operationsByTag(document).map(
      ({ tag, about, operations }) => `## ${tag}\n\n${about}\n\n${operations.map(lineOf).join("\n")}`,
    ),
  ]
    .join("\n\n")
    .concat("\n");

const lineOf = ({ method, path, operation: { operationId, summary, tags: [tag] = [] } }: NamedOperation): string =>
  `- [${operationId}](/docs#/${tag}/${operationId}): \`${method.toUpperCase()} ${path}\` ${summary}`;
