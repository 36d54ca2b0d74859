import type { TraceQuery, Tracing } from "../platform/tracing.ts";

/** A span for each query, named by its operation and table. */
export const querySpans =
  (tracing: Tracing): TraceQuery =>
  (text, run) => {
    const { operation = "other", table } = namesIn(text);
    const attributes = {
      "db.system.name": "postgresql",
      "db.operation.name": operation,
      ...(table && { "db.collection.name": table }),
    };
    return tracing.span({ name: [operation, table].filter(Boolean).join(" "), kind: "client", attributes }, () =>
      run(),
    );
  };

/** Nothing else of a query's text goes into a span. */
function namesIn(text: string): { readonly operation?: string; readonly table?: string | undefined } {
  const [, operation] = /^\s*(select|insert|update|delete|with|begin|commit|rollback)\b/i.exec(text) ?? [];
  if (!operation) return {};
  const [, table] = /\b(?:from|into|update)\s+(?:"?pgboss"?\.)?"?([a-z_]+)"?/i.exec(text) ?? [];
  return { operation: operation.toUpperCase(), table };
}
