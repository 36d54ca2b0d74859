import type { Context, MiddlewareHandler } from "hono";
import { z } from "zod";
import type { BatchRequest } from "../../domain/batches/order/order.ts";
import { maxTableBytes } from "../../domain/batches/rows.ts";
import { parseInput } from "../../domain/shared/validation.ts";
import { invalid, isDomainError } from "../../errors.ts";
import type { Services } from "../../services.ts";
import { schemaFor } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { taskOptions } from "../client-signal.ts";
import { describeMiddleware } from "../openapi.ts";
import { readJsonBody } from "../request/json-body.ts";
import { formDocument, type Upload, upload } from "../request/upload.ts";
import { validationError } from "../request/validate.ts";
import { formField } from "../schemas/common.ts";
import { parseSafeJson } from "../schemas/json-limits.ts";
import { BatchBody, BatchFormBody, toBatchRequest } from "./schemas.ts";

const Fields = z.object({
  batch: formField(z.string().min(1)).describe("The order as JSON, without `rows`."),
});

type Input = { in: { json: z.input<typeof BatchBody> }; out: { json: BatchRequest } };

/** The order of a batch: JSON with its rows, or a form with the order as JSON and its table as a file. */
export function batchInput(services: Services): MiddlewareHandler<AppEnv, string, Input> {
  const { settings, files, tableReader } = services;
  const receive = upload({ files, settings: { ...settings, maxUploadBytes: maxTableBytes } }, "table", Fields);

  const fromForm = async (c: Context<AppEnv>): Promise<BatchRequest> => {
    // safe because `receive` has stored it there
    const { file, fields } = c.req.valid("form" as never) as unknown as Upload<typeof Fields>;
    const { tableType: type, ...body } = parsed(BatchFormBody, parseField(fields.batch));
    const rows = await tableReader.read(file.path, { ...taskOptions(c), type });
    return await toBatchRequest({ ...body, rows: [...rows] }, c.var.project.id, "table");
  };

  const parse: MiddlewareHandler<AppEnv> = async (c, next) => {
    const setRequest = (request: BatchRequest) => c.req.addValidatedData("json", request);
    if (!/^multipart\/form-data/i.test(c.req.header("content-type") ?? "")) {
      setRequest(await toBatchRequest(parsed(BatchBody, await readJsonBody(c)), c.var.project.id));
      return await next();
    }
    return await receive(c as never, async () => {
      setRequest(await fromForm(c));
      await next();
    });
  };
  const form = formDocument("table", Fields).content;
  return describeMiddleware(parse as MiddlewareHandler<AppEnv, string, Input>, {
    requestBody: {
      required: true,
      content: { "application/json": { schema: schemaFor("input", BatchBody) }, ...form },
    },
    input: BatchBody,
    errors: ["validation_error", "payload_too_large", "unsupported_media_type", "rate_limited", "busy", "storage_full"],
  });
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = parseInput(schema, value);
  if (result.success) return result.data;
  throw validationError(result.error);
}

function parseField(text: string): unknown {
  try {
    return parseSafeJson(text, { path: "batch" });
  } catch (error) {
    if (isDomainError(error)) throw error;
    throw invalid("batch", "Must be valid JSON.");
  }
}
