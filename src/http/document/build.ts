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
import { describeParameter } from "./parameters.ts";
import { mapValues, shareErrors } from "./shared-responses.ts";
import { tags } from "./tags.ts";
import type { ApiDocument, Operation, Response } from "./types.ts";
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
