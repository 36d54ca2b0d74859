import { expect, test } from "bun:test";
import { tags } from "../../../src/http/document/operations.ts";
import { responseOf } from "../../../src/http/document/shared-responses.ts";
import type { ApiDocument, NamedOperation, Operation, Response } from "../../../src/http/document/types.ts";
import { httpErrors } from "../../../src/http/response/error-status.ts";
import { schemaValidator } from "../../support/declared-responses.ts";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();

const text = await (await service.request("/api/openapi.json")).text();
const document: ApiDocument = JSON.parse(text);

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): NamedOperation => ({ method, path, operation })),
);
const operation = (method: string, path: string): Operation => document.paths[path]![method]!;
const nameOf = ({ method, path }: NamedOperation) => `${method.toUpperCase()} ${path}`;
const namesOf = (found: readonly NamedOperation[]) => found.map(nameOf);
const jsonOf = ({ content }: Pick<Response, "content">) => content?.["application/json"];

test("the document contains every route of the API", () => {
  const routes = service.app.routes
    .filter(({ method, path }) => ["GET", "POST", "PUT", "DELETE"].includes(method) && path.startsWith("/api/"))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);

  expect(namesOf(operations).sort()).toEqual([...new Set(routes)].sort());
});

test("an operation has its path, body, scopes and errors", () => {
  const { security, parameters, requestBody, responses } = operation("put", "/api/projects/{projectId}/works/{workId}");
  expect(security).toEqual([{ bearer: ["works:write"] }, { cookie: [] }]);
  // what outlives the login of a page
  expect(operation("get", "/api/tokens").security).toEqual([{ bearer: ["login"] }]);
  expect(parameters).toContainEqual(expect.objectContaining({ name: "workId", in: "path", required: true }));
  expect(requestBody).toEqual({
    required: true,
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/WorkChanges" },
        example: { name: "Teaser, 4 s" },
      },
    },
  });
  const statuses = [200, 400, 401, 403, 404, 409, 412, 413, 415, 429, 500, 503];
  expect(Object.keys(responses!).map(Number)).toEqual(statuses);
  expect(responses![404]).toEqual({ $ref: "#/components/responses/NotFoundError" });
  expect(jsonOf(responseOf(document, responses![404]!))).toEqual({
    schema: { $ref: "#/components/schemas/NotFoundError" },
  });
});

test("each operation has a tag of the list, an id of its own, a summary and a description", () => {
  const ids = operations.map(({ operation: { operationId = "" } }) => operationId);
  expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  const incomplete = operations.filter(({ operation: { tags: [tag = ""] = [], summary = "", description = "" } }) => {
    const [about = "", access = ""] = description.split("\n\n");
    return !(tag in tags) || !summary || summary.length > 60 || about.length < 20 || access.length < 20;
  });
  expect(namesOf(incomplete)).toEqual([]);
});

test("every body and every response in JSON has a named schema, or is a list of one", () => {
  const isNamed = (schema: object | undefined): boolean =>
    schema !== undefined &&
    ("$ref" in schema || "oneOf" in schema || ("items" in schema && isNamed(schema.items as object)));
  const unnamed = operations.filter(({ path, operation: { requestBody, responses = {} } }) => {
    const body = requestBody && "content" in requestBody ? [requestBody] : [];
    const answers = Object.values(responses).map((response) => responseOf(document, response));
    const declared = [...body, ...answers].flatMap((part) => jsonOf(part) ?? []);
    return path !== "/api/openapi.json" && !declared.every(({ schema }) => isNamed(schema));
  });
  expect(namesOf(unnamed)).toEqual([]);
});

test("a nested object with several fields is a component too", () => {
  const inline: string[] = [];
  const search = (part: unknown, place: string, isNested = true): void => {
    if (typeof part !== "object" || part === null) return;
    const { properties = {} } = part as { readonly properties?: object };
    if (isNested && Object.keys(properties).length > 2) inline.push(place);
    for (const [key, value] of Object.entries(part)) if (key !== "example") search(value, `${place}.${key}`);
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) search(schema, name, false);
  expect(inline).toEqual([]);
});

test("every reference leads to a component", () => {
  const references = new Set([...text.matchAll(/"(#\/components\/[^"]+)"/g)].map(([, reference]) => reference!));
  const find = (reference: string) =>
    reference
      .split("/")
      .slice(1)
      .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], document);
  expect(references.size).toBeGreaterThan(100);
  expect([...references].filter((reference) => find(reference) === undefined)).toEqual([]);
});

test("parameters are described, with their limits", () => {
  const undescribed = operations.flatMap(({ operation: { operationId, parameters = [] } }) =>
    parameters.filter(({ description }) => !description).map(({ name }) => `${operationId} ${name}`),
  );
  expect(undescribed).toEqual([]);
});

test("responses may have further fields one day, and the error of a code has its details", () => {
  expect(text).not.toContain('"additionalProperties":false');
  const { LimitReachedError } = document.components.schemas;
  expect(LimitReachedError).toMatchObject({
    properties: { code: { const: "limit_reached" }, details: { $ref: "#/components/schemas/Quota" } },
    required: ["error", "code", "details", "requestId"],
  });
  const codes = Object.values(document.components.schemas).flatMap(({ properties }) => {
    const { code } = (properties ?? {}) as Record<string, { readonly const?: string }>;
    return code?.const ?? [];
  });
  expect(codes.sort()).toEqual(Object.keys(httpErrors).sort());
});

test("every operation that takes or gives JSON shows an example of it", () => {
  const without = operations.flatMap(({ operation: { operationId, requestBody, responses = {} } }) => {
    const [first] = Object.values(responses);
    const body = requestBody && "content" in requestBody ? jsonOf(requestBody) : undefined;
    const parts = [body, first && jsonOf(responseOf(document, first))];
    return parts.some((part) => part && part.example === undefined) ? [operationId] : [];
  });
  // that of the document would be the document
  expect(without).toEqual(["getDocument"]);
});

test("every example matches its schema", async () => {
  const examples = operations.flatMap(({ method, path, operation: { requestBody, responses = {} } }) => {
    const places: readonly (readonly [string, Pick<Response, "content">])[] = [
      ...(requestBody && "content" in requestBody ? [["requestBody", requestBody] as const] : []),
      ...Object.entries(responses).map(
        ([status, response]) => [`responses/${status}`, responseOf(document, response)] as const,
      ),
    ];
    return places.flatMap(([place, part]) => {
      const example = jsonOf(part)?.example as unknown;
      const pointer = ["paths", path, method, ...place.split("/"), "content", "application/json", "schema"];
      return example === undefined ? [] : [{ pointer, example }];
    });
  });
  expect(examples.length).toBeGreaterThan(150);
  for (const { pointer, example } of examples) {
    const validate = await schemaValidator(service.app, pointer);
    expect([pointer[1], validate(example), validate.errors]).toEqual([pointer[1], true, null]);
  }
});
