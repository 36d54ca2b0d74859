import type { Arguments } from "./tool.ts";

const modelHeader = /^x-(?:([a-z]+)-)?(?:provider|model-id|api-key)$/;

/** Undefined for `x-model-id` and `x-api-key`, which count for every category of a route. */
const categoryOf = (header: string): string | undefined => modelHeader.exec(header)?.[1];

const isProvider = (header: string) => header.endsWith("-provider");

type HeaderValues = Readonly<Record<string, string>>;

/**
 * The headers of a request that choose providers, models and keys: those of the arguments, else those of the connection,
 * else the local provider, unless there is a key for another. `inHeaders` names the header of each argument.
 */
export function modelHeaders(args: Arguments, inHeaders: HeaderValues, connection: Headers): HeaderValues {
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
  const local = names.filter((name) => isProvider(name) && !headers[name] && !hasKey(name));
  return { ...headers, ...Object.fromEntries(local.map((name) => [name, "local"])) };
}

/** True if the connection's headers are about a provider that is not the chosen one. */
function isOther(header: string, chosen: string, connection: Headers): boolean {
  const inherited = connection.get(header);
  if (inherited !== null) return inherited.trim().toLowerCase() !== chosen.trim().toLowerCase();
  return [...connection.keys()].some((name) => modelHeader.test(name) && isProvider(name));
}
