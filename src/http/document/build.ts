import type { Hono } from "hono";
import { generateSpecs } from "hono-openapi";
import type { ErrorCode } from "../../errors.ts";
import { yieldIfBusy } from "../../platform/cpu.ts";
import { headerDescriptions, headerReferences, type ResponseHeader } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { errorsField } from "../openapi.ts";
import { statusOf } from "../response/error-status.ts";
import { errorResponses, errorSchemas } from "./errors.ts";
import examples from "./examples.json";
import { tags } from "./operations.ts";
import { mapValues, shareErrors } from "./shared-responses.ts";
import type { ApiDocument, Operation, Parameter, Response } from "./types.ts";
import { webhooks } from "./webhooks.ts";

/** Errors that any operation can have. */
const commonErrors = ["internal", "unavailable", "busy"] as const;

const jsonBodyErrors: readonly ErrorCode[] = [
  "validation_error",
  "payload_too_large",
  "unsupported_media_type",
  "rate_limited",
];

const description = `Projects, media, templates and frame-exact MP4 export for short marketing videos.

Times of day are integers in milliseconds since the epoch. Durations and positions are in seconds, sizes on screen in pixels of the output frame, angles in degrees, clockwise. Ignore unknown fields in responses: new ones may be added.

Every error is JSON with one sentence in \`error\`, a stable \`code\`, and the \`requestId\`, which the header X-Request-Id has too. PUT changes only what it names; null clears an optional field. Single resources have an ETag: PUT and DELETE respect If-Match, GET If-None-Match. Lists are complete up to 1,000 entries; \`limit\` and \`cursor\` page them, and the Link header names the next page. A JSON body has at most 4 MiB and 50,000 values; without a credential 16 KiB and 100 values, within two seconds. GET routes also respond to HEAD.`;

/** Builds the document with closed response schemas, so that tests find undeclared fields; `published` opens them. */
export async function buildDocument(app: Hono<AppEnv>): Promise<ApiDocument> {
  const specs = await generateSpecs(app, {
    defaultValidationErrorResponse: false,
    excludeStaticFile: false,
    documentation: {
      info: {
        title: "Reelwright",
        version: "0.1.0",
        description,
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [{ url: "/", description: "The server that this document comes from." }],
      tags: Object.entries(tags).map(([name, about]) => ({ name, description: about })),
      components: {
        securitySchemes: {
          bearer: {
            type: "http",
            scheme: "bearer",
            description: "The access token of a login, or an API token.",
          },
          cookie: {
            type: "apiKey",
            in: "cookie",
            name: "__Host-reelwright",
            description: `For pages of this service: a login by ${"`POST /api/auth/session`"}, with all its rights, wherever a token is accepted but at /api/tokens and /mcp. Over plain HTTP it is named ${"`reelwright`"}. Requests other than GET need the header ${"`x-reelwright-page: 1`"}.`,
          },
        },
        headers: mapValues(headerDescriptions, (about) => ({ description: about, schema: { type: "string" } })),
      },
    },
  });
  const { hooks, components } = await webhooks();
  const finished: Parameters<typeof shareErrors>[0] = {};
  for (const [path, operations] of Object.entries(specs.paths ?? {})) {
    await yieldIfBusy();
    finished[path] = finishOperations(operations!, path);
  }
  await yieldIfBusy();
  const { paths, responses } = shareErrors(finished);
  await yieldIfBusy();
  return plain({
    ...specs,
    paths,
    webhooks: hooks,
    components: {
      ...specs.components,
      responses,
      schemas: { ...specs.components?.schemas, ...components, ...errorSchemas() },
    },
  }) as ApiDocument;
}

const finishOperations = (operations: object, path: string) =>
  // safe because hono-openapi turns routes into operations only
  mapValues(operations as Record<string, Operation>, (operation, method) =>
    finishOperation(method, { ...operation, ...withCookie(operation, path) }),
  );

/** Allows logins by cookie, except where a credential that outlives the login could be created. */
const withCookie = ({ security = [] }: Operation, path: string) =>
  security.some(({ bearer }) => bearer) && !path.startsWith("/api/tokens")
    ? { security: [...security, { cookie: [] }] }
    : {};

function finishOperation(
  method: string,
  { [errorsField]: errors = [], parameters = [], responses, ...rest }: Operation,
) {
  const takesCookie = method !== "get" && errors.includes("unauthenticated");
  const isValidated = parameters.some((parameter) => parameter.in !== "path");
  const isReplayable = parameters.some(({ name }) => name === "Idempotency-Key");
  const codes = [
    ...errors,
    ...commonErrors,
    ...(rest.requestBody ? jsonBodyErrors : []),
    ...(isValidated ? ["validation_error" as const] : []),
    ...(takesCookie ? ["cross_site_request" as const] : []),
  ];
  // safe because an operation declares no references
  const declared = responses as Record<string, Response>;
  const takesModel = parameters.some(({ name }) => name === "x-model-id");
  const named = takesModel ? mapValues(declared, withHeader("X-Model-Id")) : declared;
  const successful = isReplayable ? mapValues(named, withHeader("Idempotency-Replayed")) : named;
  return withExamples({
    ...rest,
    parameters: parameters.map(describeParameter),
    responses: mapValues({ ...successful, ...errorResponses(withClientError(codes)) }, withHeader("X-Request-Id")),
  });
}

/** Linters expect a client error in each operation: one without any gets those of the path's other methods. */
const withClientError = (codes: readonly (ErrorCode | "internal")[]) =>
  codes.some((code) => statusOf(code) < 500) ? codes : [...codes, "method_not_allowed" as const];

const withHeader =
  (name: ResponseHeader) =>
  (response: Response): Response => ({
    ...response,
    headers: { ...response.headers, ...headerReferences([name]) },
  });

/** A copy without number bounds that only mean "safe integer". */
const plain = (document: object): unknown =>
  JSON.parse(
    JSON.stringify(document, (key, value: unknown) =>
      (key === "maximum" && value === Number.MAX_SAFE_INTEGER) ||
      (key === "minimum" && value === -Number.MAX_SAFE_INTEGER)
        ? undefined
        : value,
    ),
  );

/** The published document: responses may get further fields later. */
export const published = (document: ApiDocument): ApiDocument =>
  JSON.parse(
    JSON.stringify(document, (key, value: unknown) =>
      key === "additionalProperties" && value === false ? undefined : value,
    ),
  );

/** A recorded request and response of a test service, with texts cut and secrets replaced. */
type Example = { readonly request?: unknown; readonly response?: unknown };
const byOperation: Readonly<Record<string, Example>> = examples;

const jsonType = "application/json";

/** Adds the recorded example of an operation to its body and to its first response with a body. */
function withExamples(operation: Operation): Operation {
  const { request, response } = byOperation[operation.operationId ?? ""] ?? {};
  const { requestBody, responses = {} } = operation;
  const status = Object.keys(responses)[0] ?? "";
  const first = responses[status];
  return {
    ...operation,
    ...(requestBody && "content" in requestBody && { requestBody: withExample(requestBody, request) }),
    responses: { ...responses, ...(first && !("$ref" in first) && { [status]: withExample(first, response) }) },
  };
}

function withExample<Part extends { readonly content?: object }>(part: Part, example: unknown): Part {
  const content = new Map(Object.entries(part.content ?? {}));
  const json = content.get(jsonType);
  if (example === undefined || json === undefined) return part;
  return { ...part, content: { ...part.content, [jsonType]: { ...json, example } } };
}

const pathParameters: Readonly<Record<string, string>> = {
  projectId: "Begins with `proj_`.",
  assetId: "Begins with `asset_`.",
  templateId: "Begins with `tmpl_`.",
  libraryId: "As in the list of the library, such as `lower-third`.",
  workId: "Begins with `work_`.",
  exportId: "Begins with `exp_`.",
  destination: "Its name: small letters, digits and hyphens.",
  deliveryId: "Begins with `delivery_`.",
  operationId: "Begins with `op_`.",
  filmId: "Begins with `film_`.",
  batchId: "Begins with `batch_`.",
  itemId: "Begins with `item_`.",
  provider: "A name of a provider in `GET /api/providers`.",
  stepId: "As in the steps of the film, such as `scene-2-video`.",
  reviewId: "Begins with `review_`.",
  versionId: "Begins with `version_`.",
  commentId: "Begins with `comment_`.",
  secret: "The last part of the link's URL.",
  sessionId: "Begins with `sess_`.",
  tokenId: "Begins with `tok_`.",
  previewId: "As in the URLs of a preview.",
  segmentId: "As in the segments of a preview.",
  mediaId: "Begins with `media_`.",
  role: "`enter`, `exit` or `loop`.",
  name: "As in the list of that role, such as `fade`.",
  sceneIndex: "The index of the scene in the work's `scenes`, from 0 to 499.",
};

const headers: Readonly<Record<string, string>> = {
  "x-model-id": "The provider's first by default; at most 200 characters.",
  "x-api-key": "Your key for the provider; it is not stored.",
  "x-vision-provider": "The provider that looks at the video or image: `local`, or another of `GET /api/providers`.",
  "x-llm-provider": "The provider that writes: `local`, or another of `GET /api/providers`.",
  "x-image-provider": "The provider that draws the image: `local`, or another of `GET /api/providers`.",
  "x-video-provider": "The provider that makes the video: `local`, or another of `GET /api/providers`.",
  "x-speech-provider": "The provider that speaks or transcribes, as `GET /api/providers` names it.",
  "x-music-provider": "The provider of music and sound effects, as `GET /api/providers` names it.",
  "x-image-model-id": "The model for the image.",
  "x-image-api-key": "The key for the image's provider, if it differs from `x-api-key`.",
  "x-video-model-id": "The model for the video; by default `x-model-id`.",
  "x-video-api-key": "The key for the video's provider, if it differs from `x-api-key`.",
};

const queries: Readonly<Record<string, string>> = {
  limit: "Entries per page, from 1 to 1000; 1000 by default.",
  cursor: "From the `Link` header of the previous page.",
};

/** Adds the description that a parameter has wherever it occurs. */
function describeParameter(parameter: Parameter): Parameter {
  const { name, in: place } = parameter;
  const known = { path: pathParameters[name], header: headers[name], query: queries[name] }[place];
  return { ...parameter, ...(known && !parameter.description && { description: known }) };
}
