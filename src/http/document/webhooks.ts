import type { z } from "zod";
import { schemaFor } from "../answers.ts";
import { BatchEvent, BatchFilmEvent } from "../batches/views.ts";
import { ExportEvent } from "../exports/views.ts";
import { FilmEvent } from "../films/views.ts";

const header = (name: string, description: string, required = true) => ({
  in: "header",
  name,
  description,
  required,
  schema: { type: "string" },
});

const delivered = `Any 2xx response within 10 seconds ends the delivery, and so does 410; every other response is followed by further attempts for 24 hours, with the same \`webhook-id\` and the same body. The first follows after 5 seconds, and each delay is twice the last, up to 4 hours. Retry-After on 429 or 503 postpones the next attempt, by one hour at most. Redirects are not followed.`;

const signed = (what: string) =>
  `With \`webhook.secret\` the request is signed as Standard Webhooks define: receivers compute \`webhook-signature\` from the raw body, compare in constant time, and refuse a \`webhook-timestamp\` that is older than five minutes. Without it, read the ${what} before you trust the request.`;

const exportEnded = `Sent to the \`webhook.url\` of an export request once the export is done, has failed or was cancelled. ${delivered} \`GET /api/exports/{exportId}/webhook\` lists the attempts, and \`POST …/webhook/replay\` sends the event again.

${signed("export")}`;

const filmChanged = `Sent to the \`webhook.url\` of a film's order when the film waits for something, is done, or has failed for good. A provider that stays unreachable is reported once. ${delivered}

${signed("film")}`;

const batchChanged = `Sent to the \`webhook.url\` of a batch when its table was validated, and when it has ended as \`done\`, \`partial\` or \`error\`. ${delivered}

${signed("batch")}`;

const batchFilmEnded = `Sent to the \`webhook.url\` of a batch for each of its films that was made or has failed; unchanged films and invalid rows are in the batch's own events. ${delivered}

${signed("batch")}`;

const parameters = [
  header("webhook-id", "The same in each attempt and replay, so that receivers can discard repeated events."),
  header("webhook-timestamp", "When this attempt was sent, in seconds since the epoch."),
  header(
    "webhook-signature",
    "`v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. Only with a secret.",
    false,
  ),
];

type Hook = { readonly tag: string; readonly summary: string; readonly description: string; readonly event: z.ZodType };

const sent: Readonly<Record<string, Hook>> = {
  exportEnded: { tag: "Exports", summary: "An export has ended", description: exportEnded, event: ExportEvent },
  filmChanged: { tag: "Films", summary: "A film waits or has ended", description: filmChanged, event: FilmEvent },
  batchChanged: {
    tag: "Batches",
    summary: "A table is validated, or its films are made",
    description: batchChanged,
    event: BatchEvent,
  },
  batchFilmEnded: {
    ...{ tag: "Batches", summary: "A film of a batch has ended" },
    ...{ description: batchFilmEnded, event: BatchFilmEvent },
  },
};

/** The requests that the service sends, and the schemas that they need. */
export async function webhooks() {
  const described = await Promise.all(
    Object.entries(sent).map(async ([operationId, { tag, summary, description, event }]) => {
      const { schema, components } = await schemaFor("output", event).toOpenAPISchema();
      const post = {
        ...{ operationId, tags: [tag], summary, description, parameters },
        // the receiver decides about authentication
        security: [],
        requestBody: { required: true, content: { "application/json": { schema } } },
        responses: {
          "2XX": { description: "The event has arrived." },
          410: { description: "The receiver wants no further attempts." },
        },
      };
      return { hook: [operationId, { post }] as const, schemas: components?.schemas ?? {} };
    }),
  );
  return {
    hooks: Object.fromEntries(described.map(({ hook }) => hook)),
    components: Object.assign({}, ...described.map(({ schemas }) => schemas)),
  };
}
