import examples from "./examples.json";
import type { Operation } from "./types.ts";

/** What a test service was sent and has answered, with texts cut and secrets replaced. */
type Example = { readonly request?: unknown; readonly response?: unknown };
const byOperation: Readonly<Record<string, Example>> = examples;

const jsonType = "application/json";

/** Adds the recorded example of an operation to its body and to its first response with a body. */
export function withExamples(operation: Operation): Operation {
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
