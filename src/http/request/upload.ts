import { Readable } from "node:stream";
import type { ReadableStream as NodeWebStream } from "node:stream/web";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { z } from "zod";
import { parseInput } from "../../domain/shared/validation.ts";
import { DomainError } from "../../errors.ts";
import { reportStreamedBytes } from "../../platform/cpu.ts";
import type { Services } from "../../services.ts";
import type { AppEnv } from "../app-env.ts";
import { describeMiddleware } from "../openapi.ts";
import { noteWholeBody, watchPace } from "./body-limits.ts";
import { type Form, noFile, readForm } from "./multipart.ts";
import { validationError } from "./validate.ts";

type UploadServices = Pick<Services, "files" | "settings">;

/** The schema of a form's text fields; each field's input is the list of its values. */
type FieldsSchema = z.ZodObject;

/** The value of `c.req.valid("form")` in a handler. */
export type Upload<Schema extends FieldsSchema> = Form & { readonly fields: z.output<Schema> };

/** The form as a typed client sends it. */
type ClientForm<FileField extends string, Schema extends FieldsSchema> = { [Field in FileField]: File } & {
  [Field in keyof Schema["shape"]]?: string | string[];
};

/** Room for text fields, part headers and boundaries in addition to the file. */
export const maxFormOverheadBytes = 4 * 1024 * 1024;

/** Bytes per read: smaller chunks cost more steps through the pipeline, larger ones leave more garbage. */
const chunkBytes = 128 * 1024;

/** The connection of an upload closes after this time without a byte. */
const idleTimeoutSeconds = 60;

const noFields = z.object({});

/** Streams a form's file to a temporary file, which is discarded after the handler unless the handler stored it. */
export function upload<FileField extends string, Schema extends FieldsSchema = typeof noFields>(
  ports: UploadServices,
  fileField: FileField,
  fields?: Schema,
) {
  type Input = { in: { form: ClientForm<FileField, Schema> }; out: { form: Upload<Schema> } };
  const receiveUpload = createMiddleware<AppEnv, string, Input>(async (c, next) => {
    // until the temporary file is gone
    const freeSlot = c.var.acquireBodySlot();
    c.var.leaveUserSlot();
    let form: Form | undefined;
    try {
      form = await receiveForm(c, ports, fileField);
      const parsed = parseInput(fields ?? noFields, Object.fromEntries(form.rawFields));
      if (!parsed.success) throw validationError(parsed.error);
      c.req.addValidatedData("form", { ...form, fields: parsed.data });
      await next();
    } finally {
      if (form) await ports.files.discard(form.file);
      freeSlot();
    }
  });
  return describeMiddleware(receiveUpload, {
    requestBody: formDocument(fileField, fields ?? noFields),
    input: fields ?? noFields,
    errors: ["validation_error", "payload_too_large", "unsupported_media_type", "rate_limited", "busy", "storage_full"],
  });
}

export const formDocument = (fileField: string, { shape }: FieldsSchema) => ({
  required: true,
  content: {
    "multipart/form-data": {
      schema: {
        type: "object" as const,
        required: [fileField],
        properties: {
          [fileField]: { type: "string" as const, format: "binary", description: "The file." },
          ...Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, fieldDocument(field)])),
        },
      },
    },
  },
});

const fieldDocument = (field: z.core.$ZodType) => ({ type: "string" as const, ...z.globalRegistry.get(field) });

async function receiveForm(
  c: Context<AppEnv>,
  { files, settings: { maxUploadBytes } }: UploadServices,
  fileField: string,
): Promise<Form> {
  const { req, env } = c;
  const { contentType, body } = openForm(req.raw, fileField, maxUploadBytes);
  try {
    const form = await readForm(body, {
      contentType,
      fileField,
      maxBytes: maxUploadBytes + maxFormOverheadBytes,
      watchPace: (fail) => watchPace(c.var.bodyLimits.form, fail),
      receive: (bytes) => files.receive(bytes, maxUploadBytes),
      discard: (file) => files.discard(file),
      onBytes: (sizeBytes) => {
        // restart the timer: Bun closes a connection that delivers less than about 16 KB a second
        env?.timeout?.(req.raw, idleTimeoutSeconds);
        reportStreamedBytes(sizeBytes);
        c.get("bodyReceived")?.(sizeBytes);
      },
    });
    noteWholeBody(c);
    // the handler may send no byte for minutes
    env?.timeout?.(req.raw, 0);
    return form;
  } catch (error) {
    // the client may keep sending, but nothing reads it
    env?.timeout?.(req.raw, idleTimeoutSeconds);
    throw error;
  }
}

/** Rejects a form by its headers before the body is read. Returns the body as a Node stream. */
function openForm({ headers, body }: Request, fileField: string, maxBytes: number) {
  const contentType = headers.get("content-type") ?? "";
  if (!body && contentType === "") throw noFile(fileField);
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    const reason = `This address takes a form: send the file as multipart/form-data, in the field ${fileField}.`;
    throw new DomainError("unsupported_media_type", { reason });
  }
  if (!body) throw noFile(fileField);
  if (Number(headers.get("content-length") ?? 0) > maxBytes + maxFormOverheadBytes) {
    throw new DomainError("payload_too_large", { maxBytes });
  }
  // safe because it is the same class: Bun's type for node:stream only declares more methods
  return { contentType, body: Readable.fromWeb(body as unknown as NodeWebStream, { highWaterMark: chunkBytes }) };
}
