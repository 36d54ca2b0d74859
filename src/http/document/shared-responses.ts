import { STATUS_CODES } from "node:http";
import type { Operation, Reference, Response } from "./types.ts";

type Paths = Record<string, Record<string, Operation>>;

const prefix = "#/components/responses/";

/** The path of a response in the document: in its operation, or among the components. */
export const responsePath = (path: readonly string[], response: Response | Reference): readonly string[] =>
  "$ref" in response ? ["components", "responses", nameIn(response)] : path;

/** The response that a reference points to. */
export const responseOf = (
  { components }: { readonly components: { readonly responses?: object } },
  response: Response | Reference,
): Response =>
  // safe because `shareErrors` has put it there
  "$ref" in response ? (components.responses as Record<string, Response>)[nameIn(response)]! : response;

const nameIn = ({ $ref }: Reference) => $ref.slice(prefix.length);

/** Moves error responses to the components, because many operations share them. */
export function shareErrors(paths: Paths): { readonly paths: Paths; readonly responses: Record<string, Response> } {
  const names = new Map<string, string>();
  const responses: Record<string, Response> = {};
  const share = (status: string, response: Response | Reference): Response | Reference => {
    if (Number(status) < 400 || "$ref" in response) return response;
    const text = JSON.stringify(response);
    const name = names.get(text) ?? nameFor(status, response, responses);
    names.set(text, name);
    responses[name] = response;
    return { $ref: `${prefix}${name}` };
  };
  const shared = mapValues(paths, (operations) =>
    mapValues(operations, ({ responses = {}, ...operation }) => ({
      ...operation,
      responses: mapValues(responses, (response, status) => share(status, response)),
    })),
  );
  return { paths: shared, responses };
}

/** A few errors by name, such as `InvalidTokenErrorOrUnauthenticatedError`; else the name of the status. */
function nameFor(status: string, { content }: Response, taken: object): string {
  const schema = content?.["application/json"]?.schema ?? {};
  const options = "oneOf" in schema && schema.oneOf ? schema.oneOf : [schema];
  const names = options.flatMap((option) => ("$ref" in option ? option.$ref.split("/").at(-1)! : []));
  if (names.length <= 3) return names.join("Or");
  const name = (STATUS_CODES[status] ?? status).replaceAll(/\W/g, "");
  const numbered = [name, ...Array.from({ length: 100 }, (_, index) => `${name}${index + 2}`)];
  return numbered.find((candidate) => !(candidate in taken))!;
}

export const mapValues = <Value, Result>(values: Record<string, Value>, map: (value: Value, key: string) => Result) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value, key)]));
