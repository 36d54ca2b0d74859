import { schemaFor } from "../answers.ts";
import { ExportEvent } from "../schemas/responses/exports.ts";

const header = (name: string, description: string, required = true) => ({
  in: "header",
  name,
  description,
  required,
  schema: { type: "string" },
});

const description = `Sent to the \`webhook.url\` of an export request once the export is done, has failed or was cancelled. Any 2xx response within 10 seconds ends the delivery, and so does 410; every other response is followed by further attempts for 24 hours, with the same \`webhook-id\` and the same body. The first comes after 5 seconds, and each delay is twice the last, up to 4 hours. Retry-After on 429 or 503 postpones the next attempt, by one hour at most. Redirects are not followed. \`GET /api/exports/{exportId}/webhook\` lists the attempts, and \`POST …/webhook/replay\` sends the event again.

With \`webhook.secret\` the request is signed as Standard Webhooks define: receivers compute \`webhook-signature\` from the body as it came, compare in constant time, and refuse a \`webhook-timestamp\` that is older than five minutes. Without it, read the export before you trust the request.`;

/** The requests that the service sends, and the schemas that they need. */
export async function webhooks() {
  const { schema, components } = await schemaFor("output", ExportEvent).toOpenAPISchema();
  const hooks = {
    exportEnded: {
      post: {
        operationId: "exportEnded",
        tags: ["Exports"],
        summary: "An export has ended",
        description,
        // the receiver decides what it asks for
        security: [],
        parameters: [
          header("webhook-id", "The same in each attempt and replay: receivers discard repeated events by it."),
          header("webhook-timestamp", "When this attempt was sent, in seconds since the epoch."),
          header(
            "webhook-signature",
            "`v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. Only with a secret.",
            false,
          ),
        ],
        requestBody: { required: true, content: { "application/json": { schema } } },
        responses: {
          "2XX": { description: "The event has arrived." },
          410: { description: "The receiver wants no further attempts." },
        },
      },
    },
  };
  return { hooks, components: components?.schemas ?? {} };
}
