import { Readable } from "node:stream";
import type { ReadableStream as NodeWebStream } from "node:stream/web";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { z } from "zod";
import type { Services } from "../../domain/services.ts";
import { DomainError } from "../../errors.ts";
import { reportStreamedBytes } from "../../platform/gc.ts";
import type { AppEnv } from "../app-env.ts";
import { documented } from "../response/doc.ts";
import { type Form, noFile, readForm } from "./multipart.ts";
import { notValid } from "./validate.ts";

type UploadPorts = Pick<Services, "files" | "settings">;

/** The schema of a form's text fields: each comes as the list of its values. */
type TextsSchema = z.ZodObject;

/** What the handler finds in `c.req.valid("form")`. */
export type Upload<Schema extends TextsSchema> = Form & { readonly texts: z.output<Schema> };

/** What a typed client sends. */
type SentForm<FileField extends string, Schema extends TextsSchema> = { [Field in FileField]: File } & {
  [Field in keyof Schema["shape"]]?: string | string[];
};

/** Text fields, part headers and boundaries around the file. */
const maxAroundBytes = 4 * 1024 * 1024;

/** Read at a time: each chunk costs a step through every stage, and larger ones leave more for the collector. */
const chunkBytes = 128 * 1024;

/** Seconds that an upload may pause before its connection is closed. */
const maxPauseSeconds = 60;

const noTexts = z.object({});

/** A text field that may be given once. */
export const oneText = <Schema extends z.ZodType<unknown, string>>(schema: Schema) =>
  z
    .array(z.string())
    .max(1, "Given more than once.")
    .transform(([only]) => only ?? "")
    .pipe(schema);

/** Streams the file of a form to the disk. What the handler has not put into the store is gone afterwards. */
export function upload<FileField extends string, Schema extends TextsSchema = typeof noTexts>(
  ports: UploadPorts,
  fileField: FileField,
  texts?: Schema,
) {
  type Input = { in: { form: SentForm<FileField, Schema> }; out: { form: Upload<Schema> } };
  const receiving = createMiddleware<AppEnv, string, Input>(async (c, next) => {
    const form = await receiveForm(c, ports, fileField);
    try {
      const parsed = (texts ?? noTexts).safeParse(Object.fromEntries(form.fields));
      if (!parsed.success) throw notValid(parsed.error);
      c.req.addValidatedData("form", { ...form, texts: parsed.data });
      await next();
    } finally {
      await ports.files.discard(form.file);
    }
  });
  return documented(receiving, { requestBody: formDocument(fileField, Object.keys((texts ?? noTexts).shape)) });
}

const formDocument = (fileField: string, textFields: readonly string[]) => ({
  required: true,
  content: {
    "multipart/form-data": {
      schema: {
        type: "object" as const,
        required: [fileField],
        properties: {
          [fileField]: { type: "string" as const, format: "binary" },
          ...Object.fromEntries(textFields.map((field) => [field, { type: "string" as const }])),
        },
      },
    },
  },
});

async function receiveForm(
  { req, env }: Context<AppEnv>,
  { files, settings: { maxUploadBytes } }: UploadPorts,
  fileField: string,
): Promise<Form> {
  const { contentType, body } = requireForm(req.raw, fileField, maxUploadBytes);
  try {
    return await readForm(body, {
      contentType,
      fileField,
      maxBytes: maxUploadBytes + maxAroundBytes,
      receive: (bytes) => files.receive(bytes, maxUploadBytes),
      discard: (file) => files.discard(file),
      onBytes: (sizeBytes) => {
        // Bun closes a connection that brings less than about 16 KB a second, however alive it is
        env?.timeout?.(req.raw, maxPauseSeconds);
        reportStreamedBytes(sizeBytes);
      },
    });
  } finally {
    env?.timeout?.(req.raw, 0);
  }
}

/** Refuses by the headers alone what no byte of the body could make good. */
function requireForm({ headers, body }: Request, fileField: string, maxBytes: number) {
  const contentType = headers.get("content-type") ?? "";
  if (!body && contentType === "") throw noFile(fileField);
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw new DomainError("unsupported_media_type", { reason: "Send the file as a form: multipart/form-data." });
  }
  if (!body) throw noFile(fileField);
  if (Number(headers.get("content-length") ?? 0) > maxBytes + maxAroundBytes) {
    throw new DomainError("payload_too_large", { maxBytes });
  }
  // safe because it is the same stream: the type that Bun gives it in node:stream only knows more methods
  return { contentType, body: Readable.fromWeb(body as unknown as NodeWebStream, { highWaterMark: chunkBytes }) };
}
