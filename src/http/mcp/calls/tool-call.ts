import { assertScopes } from "../../../domain/accounts/caller.ts";
import { parseInput } from "../../../domain/shared/validation.ts";
import { DomainError, invalid } from "../../../errors.ts";
import { validationError } from "../../request/validate.ts";
import { failureOf } from "./failures.ts";
import type { OperationPlan } from "./operation-plan.ts";
import type { Arguments, InnerRequest, OwnRequest, Progress, Tool, ToolCall } from "./tool.ts";

export type CallContext = Pick<ToolCall, "caller" | "services" | "publicUrl" | "headers"> & {
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** Calls a route for the same client, with a JSON body or with the request's own. */
  callRoute(request: Request, call: Pick<InnerRequest, "json" | "assumed">): Promise<Response>;
  report(progress: Progress): Promise<void>;
};

/** Checks arguments that the route cannot check, and throws insufficient_scope before anything is fetched. */
export function toolCall(
  tool: Tool,
  plan: OperationPlan,
  names: readonly string[],
  args: Arguments,
  context: CallContext,
): ToolCall {
  assertScopes(context.caller, plan.scopes);
  const checked = checkedArguments(tool, plan, names, args);
  const { caller, services, signal, publicUrl, report, headers } = context;
  const request = async (path: string, { json, assumed, signal: own = signal, ...init }: InnerRequest = {}) => {
    const inner = new Request(new URL(path, "http://localhost"), { ...init, signal: own });
    const response = await context.callRoute(inner, { ...(json && { json }), ...(assumed && { assumed }) });
    if (!response.ok) throw await failureOf(response);
    return response;
  };
  const send = (change: OwnRequest = {}) => {
    const { path, ...init } = ownRequest(tool, plan, checked, context.headers, change);
    return request(path, init);
  };
  return { args: checked, caller, services, signal, publicUrl, headers, send, request, report };
}

/** Refuses unknown arguments, so that a model notices misspelled ones. */
function checkedArguments(
  { name, extra }: Tool,
  { inHeaders }: OperationPlan,
  names: readonly string[],
  args: Arguments,
): Arguments {
  const unknown = Object.keys(args).filter((argument) => !names.includes(argument));
  if (unknown.length > 0) {
    const issues = unknown.map((path) => ({
      path,
      message: `${name} has no argument ${JSON.stringify(path.slice(0, 60))}: it takes ${names.join(", ") || "none"}.`,
    }));
    throw new DomainError("validation_error", { issues });
  }
  const unsent = Object.keys(inHeaders).find(
    (argument) => args[argument] !== undefined && !isHeaderText(args[argument]),
  );
  if (unsent) throw invalid(unsent, "Must be a text of plain characters: letters, digits and punctuation.");
  if (!extra) return args;
  const parsed = parseInput(extra, args);
  if (!parsed.success) throw validationError(parsed.error);
  return { ...args, ...parsed.data };
}

function ownRequest(tool: Tool, plan: OperationPlan, args: Arguments, connection: Headers, change: OwnRequest) {
  const route = change.path ?? plan.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => idOf(args, name));
  const search = new URLSearchParams({ ...textsOf(args, plan.inQuery), ...change.query });
  const key = plan.inHeaders.requestId;
  const { contentType, ...body } = ownBody(tool, plan, args, change);
  const models = modelHeaders(args, plan.inHeaders, connection);
  return {
    path: `${route}${search.size > 0 ? `?${search}` : ""}`,
    method: plan.method,
    headers: {
      ...models.headers,
      ...(key && args.requestId !== undefined && { [key]: `${args.requestId}` }),
      ...(contentType && { "content-type": contentType }),
    },
    assumed: models.assumed,
    ...body,
  };
}

/** By default, all arguments that belong nowhere else. */
function ownBody({ extra }: Tool, plan: OperationPlan, args: Arguments, { json, form }: OwnRequest) {
  if (form) return form;
  if (!plan.hasJsonBody) return {};
  const placed = [...plan.inPath, ...plan.inQuery, ...Object.keys(plan.inHeaders), ...Object.keys(extra?.shape ?? {})];
  const rest = () => Object.fromEntries(Object.entries(args).filter(([name]) => !placed.includes(name)));
  return { json: json ?? rest(), contentType: "application/json" };
}

const isHeaderText = (value: unknown) => typeof value === "string" && /^[ -~]*$/.test(value);

/** Returns an argument for a path. */
export function idOf(args: Arguments, name: string): string {
  const value = args[name];
  if (typeof value !== "string" && typeof value !== "number") throw invalid(name, "Is required.");
  if (typeof value === "number" && !Number.isInteger(value)) throw invalid(name, "Must be a whole number.");
  if (!/^[\w-]{1,200}$/.test(`${value}`)) throw new DomainError("not_found", {});
  return `${value}`;
}

const textsOf = (args: Arguments, names: readonly string[]) =>
  Object.fromEntries(names.flatMap((name) => (args[name] === undefined ? [] : [[name, `${args[name]}`]])));

const modelHeader = /^x-(?:([a-z]+)-)?(?:provider|model-id|api-key)$/;

/** Undefined for `x-model-id` and `x-api-key`, which count for every category of a route. */
const categoryOf = (header: string): string | undefined => modelHeader.exec(header)?.[1];

const isProvider = (header: string) => header.endsWith("-provider");

type HeaderValues = Readonly<Record<string, string>>;

type ModelHeaders = {
  readonly headers: HeaderValues;
  /** Providers among them that the caller did not choose. */
  readonly assumed: readonly string[];
};

/** The local provider does not speak: a voice is made by the service's default, which asks for its key. */
const isLocallyMade = (header: string) => categoryOf(header) !== "speech";

/**
 * Chooses providers, models and keys: from the arguments, else from the connection's headers, else the local provider,
 * unless there is a key for another one. `inHeaders` names the header of each argument.
 */
export function modelHeaders(args: Arguments, inHeaders: HeaderValues, connection: Headers): ModelHeaders {
  const names = Object.values(inHeaders).filter((name) => modelHeader.test(name));
  const valuesOf = (read: (name: string, argument: string) => unknown) =>
    Object.fromEntries(
      Object.entries(inHeaders).flatMap(([argument, name]) => {
        const value = read(name, argument);
        return names.includes(name) && typeof value === "string" && value.trim() ? [[name, value]] : [];
      }),
    );
  const chosen = valuesOf((_, argument) => args[argument]);
  // a key and a model of one provider must not go to another
  const others = names.filter((name) => isProvider(name) && chosen[name] && isOther(name, chosen[name], connection));
  const isLeftOut = (name: string) =>
    others.length > 0 &&
    (categoryOf(name) === undefined || others.some((other) => categoryOf(other) === categoryOf(name)));
  const headers = { ...valuesOf((name) => (isLeftOut(name) ? undefined : connection.get(name))), ...chosen };
  const hasKey = (provider: string) => headers["x-api-key"] ?? headers[`x-${categoryOf(provider)}-api-key`];
  const isOpen = (name: string) => isProvider(name) && isLocallyMade(name) && !headers[name] && !hasKey(name);
  const assumed = names.filter(isOpen);
  return { headers: { ...headers, ...Object.fromEntries(assumed.map((name) => [name, "local"])) }, assumed };
}

/** True if the connection's headers belong to a provider other than the chosen one. */
function isOther(header: string, chosen: string, connection: Headers): boolean {
  const inherited = connection.get(header);
  if (inherited !== null) return inherited.trim().toLowerCase() !== chosen.trim().toLowerCase();
  return [...connection.keys()].some((name) => modelHeader.test(name) && isProvider(name));
}
