import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { plugin } from "bun";
import { sharedService } from "../support/service.ts";
import { listen } from "../support/uploads.ts";

/** The declarations of the node, which n8n turns into requests. */
type Send = { readonly type: string; readonly property: string; readonly value?: unknown };
type Request = {
  readonly baseURL?: string;
  readonly method?: string;
  readonly url?: string;
  readonly headers?: object;
  readonly body?: object;
};
type Receive =
  | ((items: object[], response: { body: string }) => Promise<{ json: object }[]>)
  | { readonly type: string };
type Routing = {
  readonly request?: Request;
  readonly output?: { readonly postReceive?: Receive[] };
  readonly send?: Send;
};
type Property = {
  readonly name: string;
  readonly value?: string;
  readonly default?: unknown;
  readonly options?: readonly Property[];
  readonly displayOptions?: { readonly show: Readonly<Record<string, readonly unknown[]>> };
  readonly routing?: Routing;
};

/** What the node reads of n8n itself, whose licence keeps it out of this repository. */
plugin({
  name: "n8n",
  setup: (build) => {
    build.module("n8n-workflow", () => ({ exports: { NodeConnectionTypes: { Main: "main" } }, loader: "object" }));
  },
});

const folder = join(import.meta.dir, "../../client/n8n");
const { Reelwright } = await import(join(folder, "nodes/Reelwright/Reelwright.node.ts"));
const { ReelwrightApi } = await import(join(folder, "credentials/ReelwrightApi.credentials.ts"));
const { properties, requestDefaults }: { properties: Property[]; requestDefaults: Request } = new Reelwright()
  .description;

const service = await sharedService();
const server = listen(service);
afterAll(() => server.stop());
const ann = await service.register();
const scopes = ["projects:read", "projects:write", "works:read", "works:write", "ai:generate"];
const { token } = await (await ann.json("POST", "/api/tokens", { name: "n8n", scopes })).json();
const $credentials = { baseUrl: server.url, token };

type Names = Readonly<Record<string, unknown>>;

/** n8n's expressions: a text that begins with `=`, with JavaScript in braces. */
function evaluated(value: unknown, names: Names): unknown {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, evaluated(each, names)]));
  if (typeof value !== "string" || !value.startsWith("=")) return value;
  const run = (code: string) => new Function(...Object.keys(names), `return (${code})`)(...Object.values(names));
  const whole = /^=\{\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\}$/.exec(value);
  return whole ? run(whole[1]!) : value.slice(1).replaceAll(/\{\{(.+?)\}\}/g, (_, code) => `${run(code)}`);
}

const authorization = new ReelwrightApi().authenticate.properties.headers.Authorization;

/** Does what n8n does for one item: the request of the operation, with the fields that are shown for it. */
async function execute(chosen: Readonly<Record<string, unknown>>, executionId: string = crypto.randomUUID()) {
  const isShown = ({ displayOptions }: Property) =>
    Object.entries(displayOptions?.show ?? {}).every(([name, values]) => values.includes(chosen[name]));
  const shown = properties.filter(isShown);
  const $parameter = { ...Object.fromEntries(shown.map((property) => [property.name, property.default])), ...chosen };
  const names = { $parameter, $credentials, $execution: { id: executionId }, $itemIndex: 0 };
  const operation = shown
    .find(({ name }) => name === "operation")
    ?.options?.find(({ value }) => value === chosen.operation);
  const { request = {}, output } = operation!.routing!;
  const added = (chosen.additionalFields ?? {}) as Readonly<Record<string, unknown>>;
  const extra = shown.find(({ name }) => name === "additionalFields")?.options ?? [];
  const body = (evaluated(request.body ?? {}, names) ?? {}) as Record<string, unknown>;
  const url = new URL(`${evaluated(requestDefaults.baseURL, names)}${evaluated(request.url, names)}`);
  for (const { name, routing } of [...shown, ...extra.filter(({ name }) => name in added)]) {
    const send = routing?.send;
    if (!send) continue;
    const $value = added[name] ?? $parameter[name as "operation"];
    const value = send.value === undefined ? $value : evaluated(send.value, { ...names, $value });
    if (value === undefined) continue;
    if (send.type === "query") url.searchParams.set(send.property, `${value}`);
    else place(body, send.property.split("."), value);
  }
  const headers = { ...requestDefaults.headers, ...(evaluated(request.headers ?? {}, names) as object) };
  const response = await fetch(url, {
    method: request.method!,
    headers: { ...headers, "content-type": "application/json", authorization: `${evaluated(authorization, names)}` },
    ...(request.method === "POST" && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(await response.text());
  const [receive] = output?.postReceive ?? [];
  if (typeof receive === "function") return (await receive([], { body: await response.text() }))[0]!.json as Answer;
  return receive ? { type: response.headers.get("content-type")! } : ((await response.json()) as Answer);
}

// biome-ignore lint/suspicious/noExplicitAny: answers of several routes
type Answer = any;

function place(body: Record<string, unknown>, [first, ...rest]: readonly string[], value: unknown) {
  if (rest.length === 0) body[first!] = value;
  else {
    body[first!] ??= {};
    place(body[first!] as Record<string, unknown>, rest, value);
  }
}

const project = async (): Promise<string> =>
  (await (await ann.json("POST", "/api/projects", { name: "n8n" })).json()).id;
const small = { models: '{"video": false}', resolution: '{"width": 90, "height": 160}' };

test("a film is ordered once for an execution, waited for and downloaded", async () => {
  const projectId = await project();
  const brief = "Velo Nord: the city bike that folds in ten seconds.";
  const order = { resource: "film", operation: "order", projectId, brief, seconds: 3, additionalFields: small };
  const film = await execute(order, "execution-1");
  expect((await execute(order, "execution-1")).id).toBe(film.id);
  const ids = { resource: "film", projectId, filmId: film.id };
  const ended = await execute({ ...ids, operation: "wait" });
  expect(ended).toMatchObject({ id: film.id, status: "done", files: [{ target: "9:16" }] });
  expect(ended.steps.every(({ status }: Answer) => ["done", "skipped"].includes(status))).toBe(true);
  expect(await execute({ ...ids, operation: "get" })).toMatchObject({ status: "done" });
  expect(await execute({ ...ids, operation: "download", target: "9:16" })).toEqual({ type: "video/mp4" });

  const job = await execute({ resource: "export", operation: "create", projectId, workId: ended.workId });
  const exportId = job.id;
  expect(await execute({ resource: "export", operation: "wait", exportId })).toMatchObject({ status: "done" });
  expect(await execute({ resource: "export", operation: "download", exportId })).toEqual({ type: "video/mp4" });
});

test("a table of films is ordered, waited for and downloaded", async () => {
  const projectId = await project();
  const film = {
    brief: { text: "{{name}} keeps warm." },
    seconds: 3,
    scenes: 1,
    resolution: { width: 90, height: 160 },
  };
  const base = JSON.stringify({ film: { ...film, models: { video: false }, music: false } });
  const rows = JSON.stringify([{ sku: "a", name: "Cup" }]);
  const order = { resource: "batch", operation: "order", projectId, base, rows, keyColumn: "sku" };
  const batch = await execute(order);
  const ids = { resource: "batch", projectId, batchId: batch.id };
  expect(await execute({ ...ids, operation: "wait" })).toMatchObject({ id: batch.id, status: "done" });
  expect(await execute({ ...ids, operation: "download" })).toEqual({ type: "application/zip" });
  expect(await execute({ ...ids, operation: "get" })).toMatchObject({ id: batch.id });
});

test("the package names its files, and its credentials are tested by a route", async () => {
  const { n8n } = await Bun.file(join(folder, "package.json")).json();
  for (const path of [...n8n.nodes, ...n8n.credentials] as string[]) {
    const source = path.replace("dist/", "").replace(/\.js$/, ".ts");
    expect([path, await Bun.file(join(folder, source)).exists()]).toEqual([path, true]);
  }
  const { request } = new ReelwrightApi().test;
  const url = `${evaluated(request.baseURL, { $credentials })}${request.url}?limit=${request.qs.limit}`;
  expect((await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
});
