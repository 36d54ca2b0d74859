import { appendFile } from "node:fs/promises";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { getPath } from "hono/utils/url";
import type { createApp } from "../../src/app.ts";
import { buildDocument } from "../../src/http/document/build.ts";
import { responseOf, responsePath } from "../../src/http/document/shared-responses.ts";
import type { ApiDocument, Response as Declared } from "../../src/http/document/types.ts";

type App = ReturnType<typeof createApp>;

const found: string[] = [];

/** The responses since the last call that the document does not declare. */
export const takeUndeclared = (): readonly string[] => [...new Set(found.splice(0))];

/**
 * Compares each response of the app, from now on, with the OpenAPI document: its status, its type, its headers, and its
 * body with the declared schema. Fields that are not declared count.
 */
export async function checkResponses(app: App): Promise<void> {
  // now, because it takes a moment that would block requests
  await documentOf(app);
  const { fetch } = app;
  app.fetch = async (request, ...rest) => {
    const sent = recording && isJson(request) ? await request.clone().text() : "";
    const response = await fetch(request, ...rest);
    const { response: checked, problem } = await check(app, request, response);
    if (recording && checked.ok && !problem) await record(app, request, sent, checked);
    if (problem) found.push(`${request.method} ${getPath(request)} ${response.status}: ${problem}`);
    return checked;
  };
}

/** A folder for what the operations were sent and have answered: `bun run examples` makes examples of it. */
const recording = process.env.RECORD_EXAMPLES;

const isJson = ({ headers }: Request | Response) => headers.get("content-type")?.startsWith("application/json");

async function record(app: App, request: Request, sent: string, response: Response): Promise<void> {
  const path = routeOf(app, request.method, getPath(request));
  const operation = path ? (await documentOf(app)).paths[path]?.[request.method.toLowerCase()] : undefined;
  // the document shows the example of the first one
  const [status] = Object.keys(operation?.responses ?? {});
  if (!operation || `${response.status}` !== status || !isJson(response)) return;
  const example = {
    ...(sent && { request: JSON.parse(sent) }),
    response: await response.clone().json(),
  };
  const line = `${JSON.stringify({ operation: operation.operationId, ...example })}\n`;
  await appendFile(`${recording}/${process.pid}.jsonl`, line);
}

type Checked = { readonly response: Response; readonly problem?: string | undefined };

async function check(app: App, request: Request, response: Response): Promise<Checked> {
  const { method } = request;
  const { paths } = await documentOf(app);
  const path = routeOf(app, method, getPath(request));
  const operation = path && paths[path]?.[(method === "HEAD" ? "get" : method).toLowerCase()];
  // pages and their files are not part of the API; other paths and methods have no operation
  if (!operation) return { response, problem: path?.startsWith("/api/") ? "is not documented" : undefined };
  const pointer = [
    "paths",
    path,
    (method === "HEAD" ? "get" : method).toLowerCase(),
    "responses",
    `${response.status}`,
  ];
  const answer = operation.responses?.[response.status];
  if (!answer) return { response, problem: `has this status: ${await bodyOf(response)}` };
  const declared = responseOf(await documentOf(app), answer);
  return method === "HEAD"
    ? { response }
    : checkBody(app, response, { declared, pointer: responsePath(pointer, answer) });
}

type Declaration = { readonly declared: Declared; readonly pointer: readonly string[] };

async function checkBody(app: App, response: Response, { declared, pointer }: Declaration): Promise<Checked> {
  const type = response.headers.get("content-type")?.split(";")[0];
  const types = Object.keys(declared.content ?? {});
  const header = undeclaredHeader(response, declared);
  if (header) return { response, problem: `has the header ${header}` };
  if (types.length === 0) return { response, problem: response.body ? "has a body" : undefined };
  const declaredType = types.find((one) => matchesType(one, type));
  if (!declaredType) return { response, problem: `has the type ${type}` };
  if (declaredType !== "application/json") return { response };

  const text = await response.text();
  // not a clone: the body of one is a stream, which has no Content-Length
  const copy = new Response(text, response);
  const validate = await schemaValidator(app, [...pointer, "content", declaredType, "schema"]);
  if (validate(JSON.parse(text))) return { response: copy };
  const [first] = mostSpecific(validate);
  return {
    response: copy,
    problem: `${first?.instancePath} ${first?.message} ${JSON.stringify(first?.params)} in ${text.slice(0, 1000)}`,
  };
}

/** The headers that the document describes: a response that has one must declare it. */
const describedHeaders = ["ETag", "Link", "Location", "Retry-After", "WWW-Authenticate", "X-Export-Warnings"];

const undeclaredHeader = ({ headers }: Response, declared: Declared) =>
  describedHeaders.find((name) => headers.has(name) && !(name in (declared.headers ?? {})));

const matchesType = (declared: string, type: string | undefined) =>
  declared.endsWith("/*") ? type?.startsWith(declared.slice(0, -1)) : declared === type;

const bodyOf = async (response: Response) =>
  response.headers.get("content-type")?.startsWith("application/json")
    ? (await response.clone().text()).slice(0, 300)
    : "";

const mostSpecific = ({ errors }: ValidateFunction) =>
  (errors ?? []).toSorted((a, b) => b.instancePath.length - a.instancePath.length);

/** The path of the last route that matches, as the document writes it. */
function routeOf({ router }: App, method: string, path: string): string | undefined {
  const matched = router.match(method === "HEAD" ? "GET" : method, path)[0];
  const routes = matched.map(([[, route]]) => route).filter((route) => route.method !== "ALL");
  return routes.at(-1)?.path.replaceAll(/:(\w+)/g, "{$1}");
}

// all apps have the same routes
let document: Promise<ApiDocument> | undefined;

function documentOf(app: App): Promise<ApiDocument> {
  document ??= buildDocument(app);
  return document;
}

let schemas: Promise<Ajv2020> | undefined;

async function openSchemas(app: App): Promise<Ajv2020> {
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  addFormats.default(ajv);
  return ajv.addSchema({ $id: "document", ...(await documentOf(app)) });
}

/** The compiled schema at this place of the document, closed to fields that it does not declare. */
export async function schemaValidator(app: App, pointer: readonly string[]): Promise<ValidateFunction> {
  schemas ??= openSchemas(app);
  const ajv = await schemas;
  const encoded = pointer.map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1")));
  const $ref = `document#/${encoded.join("/")}`;
  return ajv.getSchema($ref) ?? ajv.compile({ $ref });
}
