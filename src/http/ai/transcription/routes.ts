import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { z } from "zod";
import type { ProviderCall } from "../../../domain/ai/provider-calls.ts";
import { type Transcription, transcribe } from "../../../domain/ai/transcription/transcribe.ts";
import { transcribeStored } from "../../../domain/ai/transcription/transcribe-stored.ts";
import { inspectFile } from "../../../domain/files/inspect-file.ts";
import type { Services } from "../../../services.ts";
import { json, schemaFor } from "../../answers.ts";
import type { AppEnv } from "../../app-env.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { describeMiddleware, descriptionOf, operationsOf } from "../../openapi.ts";
import { respondAsync } from "../../operations/respond-async.ts";
import { type Upload, upload } from "../../request/upload.ts";
import { validate } from "../../request/validate.ts";
import { fileErrors, modelErrors } from "../errors.ts";
import { TranscriptionFields, TranscriptionRequest } from "../generation/schemas.ts";
import { modelChoice, modelHeaders, withProviderCall } from "../model-choice.ts";
import { modelResponseHeaders } from "../model-headers.ts";
import { Transcript } from "../views.ts";

const documented = operationsOf("AI");

/** The input of a request: a reference to a stored file, or a form with the file itself. */
type SoundInput = {
  in: { json?: TranscriptionRequestBody; form?: { file: File; language?: string | string[] } };
  out: { json: TranscriptionRequest | undefined; form: Upload<typeof TranscriptionFields> | undefined };
};

type TranscriptionRequestBody = z.input<typeof TranscriptionRequest>;

const isForm = (c: Context) => /^multipart\/form-data\b/i.test(c.req.header("content-type") ?? "");

function soundInput(services: Services) {
  const form = upload(services, "file", TranscriptionFields);
  const body = validate("json", TranscriptionRequest);
  const readEither: MiddlewareHandler<AppEnv> = (c, next) => (isForm(c) ? form : body)(c as never, next);
  // safe because one of the two sets the valid input of its kind
  const either = readEither as MiddlewareHandler<AppEnv, string, SoundInput>;
  const { requestBody, ...spec } = descriptionOf(form);
  const formContent = requestBody && "content" in requestBody ? requestBody.content : {};
  const jsonContent = { "application/json": { schema: schemaFor("input", TranscriptionRequest) } };
  return describeMiddleware(either, {
    ...spec,
    requestBody: { required: true, content: { ...jsonContent, ...formContent } },
  });
}

export const transcriptionRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/",
    documented(requireScopes("ai:analyze"), {
      id: "transcribe",
      summary: "Transcribe speech",
      about:
        "Writes down what is said in a sound or a video, and when: in an asset, in another stored file by its internal URL, or in a file that is sent as a form. The transcript of an asset is kept with it, for captions. A silent file gives an empty transcript and is not sent to the provider.",
      answers: { 200: json(Transcript, "What is said.", modelResponseHeaders) },
      errors: [...modelErrors, ...fileErrors],
    }),
    noIdleTimeout,
    modelHeaders(services, "speech", "transcription"),
    soundInput(services),
    idempotent(services),
    respondAsync(services),
    async (c) => {
      const model = services.models.transcription(modelChoice("speech", c.req.valid("header")));
      const sent = c.req.valid("form");
      const projectId = c.req.valid("json")?.projectId;
      // the asset is found in the project before a call
      const scope = { ...(projectId && { projectId }) };
      const run = async (call: ProviderCall) => {
        const context = { model, call };
        if (sent) {
          const { language } = sent.fields;
          const { path } = sent.file;
          const facts = await inspectFile(services.inspector, path, "any", call.taskOptions);
          return transcribe(services, context, { file: { path, facts }, path: "file", ...(language && { language }) });
        }
        const { language, ...reference } = c.req.valid("json")!; // safe because a request has a form or a JSON body
        const task = { reference, ...(language !== undefined && { language }) };
        return transcribeStored(services, context, { caller: c.var.caller, ...task });
      };
      return c.json(transcriptView(await withProviderCall(c, services, run, scope)), 200);
    },
  );

const transcriptView = ({ words, segments, ...transcription }: Transcription) => ({
  ...transcription,
  words: [...words],
  segments: [...segments],
});
