import { operationsByTag } from "../../src/http/document/operations.ts";
import type { ApiDocument, NamedOperation, Operation, Parameter } from "../../src/http/document/types.ts";

/** A collection in Postman's format 2.1: a folder for each group, a request for each operation, with its recorded example. */
export function postmanCollection(document: ApiDocument) {
  const groups = operationsByTag(document);
  const names = groups.flatMap(({ operations }) => operations.flatMap(({ operation }) => placed(operation, "path")));
  const variables = { baseUrl: "http://localhost:3000", token: "", ...Object.fromEntries(names.map(emptyVariable)) };
  return {
    info: {
      name: document.info.title,
      description: document.info.description ?? "",
      version: document.info.version,
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{token}}", type: "string" }] },
    variable: Object.entries(variables).map(([key, value]) => ({ key, value, type: "string" })),
    item: groups.map(({ tag, about, operations }) => ({ name: tag, description: about, item: operations.map(itemOf) })),
  };
}

const emptyVariable = ({ name }: Parameter) => [name, ""];

const placed = ({ parameters = [] }: Operation, place: Parameter["in"]): readonly Parameter[] =>
  parameters.filter((parameter) => parameter.in === place);

function itemOf(named: NamedOperation) {
  const { operation } = named;
  const request = requestOf(named);
  return {
    name: operation.summary ?? operation.operationId ?? "",
    // the name in the API document
    id: operation.operationId,
    request,
    response: responsesOf(operation, request),
    ...(keepsToken(operation) && { event: [{ listen: "test", script: { type: "text/javascript", exec: keepToken } }] }),
  };
}

/** A login fills in the token of all other requests. */
const keepsToken = ({ operationId }: Operation) => ["register", "login", "refreshTokens"].includes(operationId ?? "");
const keepToken = ['if (pm.response.code < 300) pm.collectionVariables.set("token", pm.response.json().accessToken);'];

function requestOf({ method, path, operation }: NamedOperation) {
  const segments = path.slice(1).replaceAll(/\{(\w+)\}/g, ":$1");
  const query = placed(operation, "query").map(({ name, required, description }) => ({
    ...{ key: name, value: "", disabled: !required, description: description ?? "" },
  }));
  const body = bodyOf(operation);
  const contentType = body?.mode === "raw" ? [{ key: "Content-Type", value: "application/json" }] : [];
  return {
    method: method.toUpperCase(),
    description: operation.description ?? "",
    url: {
      raw: `{{baseUrl}}/${segments}`,
      host: ["{{baseUrl}}"],
      path: segments.split("/"),
      ...(query.length > 0 && { query }),
      variable: placed(operation, "path").map(({ name, description }) => ({
        ...{ key: name, value: `{{${name}}}`, description: description ?? "" },
      })),
    },
    header: [
      ...contentType,
      ...placed(operation, "header").map(({ name, description }) => ({
        ...{ key: name, value: "", disabled: true, description: description ?? "" },
      })),
    ],
    ...(body && { body }),
    ...(operation.security?.length === 0 && { auth: { type: "noauth" } }),
  };
}

type Media = { readonly example?: unknown; readonly schema?: { readonly properties?: Record<string, object> } };

const contentOf = (part: object | undefined): Readonly<Record<string, Media>> =>
  part && "content" in part ? (part.content as Record<string, Media>) : {};

const pretty = (value: unknown) => JSON.stringify(value, null, 2);

/** Undefined for an operation without a body. */
function bodyOf({ requestBody }: Operation) {
  const content = contentOf(requestBody);
  const form = content["multipart/form-data"];
  const json = content["application/json"];
  if (json) {
    return { mode: "raw", raw: pretty(json.example ?? {}), options: { raw: { language: "json" } } } as const;
  }
  if (form)
    return { mode: "formdata", formdata: Object.entries(form.schema?.properties ?? {}).map(formField) } as const;
  return Object.keys(content).length > 0 ? ({ mode: "file", file: {} } as const) : undefined;
}

const formField = ([key, schema]: readonly [string, object]) =>
  "format" in schema && schema.format === "binary"
    ? { key, type: "file", src: [] as string[] }
    : { key, type: "text", value: "", disabled: true };

/** The recorded answer. */
function responsesOf({ responses = {} }: Operation, originalRequest: object) {
  return Object.entries(responses).flatMap(([status, response]) => {
    const example = contentOf(response)["application/json"]?.example;
    if (example === undefined || !("description" in response)) return [];
    const header = [{ key: "Content-Type", value: "application/json" }];
    const about = { name: response.description, code: Number(status), _postman_previewlanguage: "json" };
    return [{ ...about, originalRequest, header, body: pretty(example) }];
  });
}
