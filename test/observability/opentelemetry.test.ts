import { afterAll, expect, test } from "bun:test";
import { type OpenTracing, openTracing } from "../../src/observability/opentelemetry.ts";
import { querySpans } from "../../src/observability/query-spans.ts";
import { traceReceiver } from "../support/trace-receiver.ts";

const receiver = traceReceiver();
afterAll(() => receiver.stop());

const open = (sampledShare = 1) =>
  openTracing({ version: "1.2.3", role: "worker", endpoint: `${receiver.url}/`, sampledShare });

/** The spans that a new process would send. */
async function spansOf(use: (tracing: OpenTracing) => Promise<unknown>, sampledShare?: number) {
  receiver.spans.length = 0;
  const tracing = open(sampledShare);
  await use(tracing).catch(() => {});
  await tracing.close();
  return [...receiver.spans];
}

test("spans of concurrent requests have their own parents and attributes", async () => {
  const request = (tracing: OpenTracing, route: string) =>
    tracing.span({ name: route, kind: "server", attributes: { "http.route": route } }, async (span) => {
      await tracing.span({ name: `query of ${route}`, kind: "client" }, async () => {});
      span.set({ "http.response.status_code": 200 });
    });
  const spans = await spansOf((tracing) => Promise.all(["/a", "/b"].map((route) => request(tracing, route))));
  expect(spans).toHaveLength(4);
  for (const route of ["/a", "/b"]) {
    const above = spans.find(({ name }) => name === route)!;
    // 2 is the kind of servers, 3 that of clients
    expect(above).toMatchObject({ parentSpanId: "", kind: 2 });
    expect(above.attributes).toEqual({ "http.route": route, "http.response.status_code": 200 });
    const below = spans.find(({ name }) => name === `query of ${route}`);
    expect(below).toMatchObject({ parentSpanId: above.spanId, traceId: above.traceId, kind: 3 });
  }
});

test("a job continues the trace of its header", async () => {
  let traceparent = "";
  const spans = await spansOf(async (tracing) => {
    await tracing.span({ name: "order" }, async (span) => {
      traceparent = span.traceparent;
    });
    await tracing.span({ name: "job", parent: traceparent }, async () => {});
  });
  const [order, job] = spans;
  expect(traceparent).toBe(`00-${order!.traceId}-${order!.spanId}-01`);
  expect(job).toMatchObject({ name: "job", traceId: order!.traceId, parentSpanId: order!.spanId });
});

test("a failed step marks its span, without the message of the error", async () => {
  const spans = await spansOf((tracing) => tracing.span({ name: "step" }, () => Promise.reject(new Error("hunter2"))));
  expect(spans).toMatchObject([{ name: "step", isFailed: true }]);
  expect(Buffer.concat(receiver.bodies).toString("latin1")).not.toContain("hunter2");
});

test("a call that has ended is a span below the one that runs; a call of nobody is none", async () => {
  const call = { name: "openai scenario", kind: "client", milliseconds: 250 } as const;
  const spans = await spansOf(async (tracing) => {
    tracing.ended({ ...call, isFailed: false });
    await tracing.span({ name: "poll", kind: "client" }, async () => {});
    await tracing.span({ name: "request" }, async () => tracing.ended({ ...call, isFailed: true }));
  });
  const request = spans.find(({ name }) => name === "request");
  expect(spans).toHaveLength(2);
  expect(spans).toContainEqual(
    expect.objectContaining({ name: "openai scenario", parentSpanId: request?.spanId, isFailed: true }),
  );
});

test("a query is named by its operation and table alone", async () => {
  const texts = [
    'select "id", \'secret\' from "projects" where "id" = $1',
    'insert into "usage" ("id") values ($1)',
    'update "exports" set "status" = $1',
    "delete from pgboss.job where data = $1",
    "/* secret */ vacuum",
  ];
  const spans = await spansOf((tracing) =>
    tracing.span({ name: "request" }, async () => {
      for (const text of texts) await querySpans(tracing)(text, async () => {});
    }),
  );
  const names = spans.map(({ name }) => name);
  expect(names.toSorted()).toEqual([
    "DELETE job",
    "INSERT usage",
    "SELECT projects",
    "UPDATE exports",
    "other",
    "request",
  ]);
  expect(Buffer.concat(receiver.bodies).toString("latin1")).not.toContain("secret");
});

test("no trace is recorded with a share of 0, but those that callers record", async () => {
  const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const spans = await spansOf(async (tracing) => {
    await tracing.span({ name: "own" }, async () => {});
    await tracing.span({ name: "of a caller", parent }, async () => {});
  }, 0);
  expect(spans.map(({ name }) => name)).toEqual(["of a caller"]);
});

test("a receiver that is away fails no step, and the end is not kept waiting", async () => {
  const tracing = openTracing({ version: "1.2.3", role: "worker", endpoint: "http://127.0.0.1:9", sampledShare: 1 });
  expect(await tracing.span({ name: "step" }, async () => "done")).toBe("done");
  await tracing.close();
});
