import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { parseInput } from "../../../domain/shared/validation.ts";
import { isDomainError } from "../../../errors.ts";
import { validationError } from "../../request/validate.ts";
import { FailedRequest, failureText } from "../calls/failures.ts";
import type { Arguments } from "../calls/tool.ts";

/** The version of the Ad Context Protocol, and the newest release whose storyboards the tests run. */
export const majorVersion = 3;

const Open = z.record(z.string(), z.unknown());

const FormatId = z.looseObject({
  agent_url: z.string().max(2000),
  id: z.string().regex(/^[a-zA-Z0-9_-]{1,100}$/),
  duration_ms: z.number().min(1).optional(),
});
export type FormatId = z.output<typeof FormatId>;

const Manifest = z.looseObject({
  format_id: FormatId,
  assets: z.record(z.string().max(200), z.unknown()),
  ext: Open.optional(),
});
export type Manifest = z.output<typeof Manifest>;

const Brand = z.looseObject({ domain: z.string().min(1).max(200) });

/** Fields of every request. Unknown fields are ignored: later minor versions add some. */
const common = {
  adcp_major_version: z.int().optional().describe("3."),
  context: Open.optional().describe("Returned unchanged."),
  ext: Open.optional(),
};

const account = z
  .union([z.looseObject({ account_id: z.string().max(200) }), z.looseObject({ brand: Brand })])
  .optional()
  .describe("{ account_id }: a project id; or { brand: { domain }, operator }: the project of that name.");

const Quality = z.enum(["draft", "production"]).optional();
const OutputFormat = z.enum(["url", "html", "both"]).optional();
const Input = z.looseObject({ name: z.string().max(200) });
const Inputs = z.array(Input).max(20).optional();

export const CapabilitiesRequest = z.object({ protocols: z.array(z.string()).optional(), ...common });

export const FormatsRequest = z.object({
  format_ids: z.array(FormatId).max(200).optional(),
  type: z.string().optional().describe("video or display."),
  asset_types: z.array(z.string()).optional(),
  max_width: z.number().optional(),
  max_height: z.number().optional(),
  min_width: z.number().optional(),
  min_height: z.number().optional(),
  is_responsive: z.boolean().optional(),
  name_search: z.string().optional(),
  wcag_level: z.string().optional(),
  disclosure_positions: z.array(z.string()).optional(),
  disclosure_persistence: z.array(z.string()).optional(),
  output_format_ids: z.array(FormatId).optional(),
  input_format_ids: z.array(FormatId).optional(),
  include_pricing: z.boolean().optional(),
  account,
  pagination: z
    .object({ max_results: z.int().min(1).max(100).optional(), cursor: z.string().max(200).optional() })
    .optional(),
  ...common,
});
export type FormatsRequest = z.output<typeof FormatsRequest>;

export const BuildRequest = z.object({
  message: z.string().max(10_000).optional().describe("The brief, or what to change."),
  creative_manifest: Manifest.optional(),
  creative_id: z.string().max(200).optional().describe("A film id, to take a built film in other formats."),
  target_format_id: FormatId.optional(),
  target_format_ids: z.array(FormatId).min(1).max(10).optional(),
  account,
  brand: Brand.optional(),
  quality: Quality.describe("draft: smaller, and without models for video."),
  include_preview: z.boolean().optional(),
  preview_inputs: Inputs,
  preview_quality: Quality,
  preview_output_format: OutputFormat,
  item_limit: z.number().optional(),
  macro_values: Open.optional(),
  concept_id: z.string().optional(),
  media_buy_id: z.string().optional(),
  package_id: z.string().optional(),
  push_notification_config: Open.optional(),
  idempotency_key: z
    .string()
    .regex(/^[A-Za-z0-9_.:-]{16,255}$/)
    .describe("The same request with the same key is made once, within 24 hours."),
  ...common,
});
export type BuildRequest = z.output<typeof BuildRequest>;

const PreviewOne = z.looseObject({
  creative_manifest: Manifest,
  format_id: FormatId.optional(),
  inputs: Inputs,
  quality: Quality,
  output_format: OutputFormat,
});
export type PreviewOne = z.output<typeof PreviewOne>;

export const PreviewRequest = z.object({
  request_type: z.enum(["single", "batch", "variant"]),
  ...PreviewOne.partial().shape,
  requests: z.array(PreviewOne).min(1).max(50).optional(),
  template_id: z.string().optional(),
  item_limit: z.number().optional(),
  variant_id: z.string().optional(),
  creative_id: z.string().optional(),
  account,
  ...common,
});
export type PreviewRequest = z.output<typeof PreviewRequest>;

export const TaskRequest = z.object({
  task_id: z.string().max(200),
  include_result: z.boolean().optional(),
  ...common,
});

/** Reads the arguments of a tool. Throws validation_error, and AdcpFailure for another major version. */
export function readRequest<Schema extends z.ZodType>(schema: Schema, args: Arguments): z.output<Schema> {
  const version = args.adcp_major_version;
  if (version !== undefined && version !== majorVersion)
    throw new AdcpFailure("VERSION_UNSUPPORTED", `This agent speaks version ${majorVersion}.`);
  const parsed = parseInput(schema, args);
  if (!parsed.success) throw validationError(parsed.error);
  return parsed.data;
}

/** A refusal in terms of the protocol. */
export class AdcpFailure extends Error {
  override readonly name = "AdcpFailure";

  constructor(
    readonly code: string,
    message: string,
    readonly field?: string,
  ) {
    super(message);
  }
}

/** The protocol's code for an error of this service; the others are the service's own. */
const codes: Readonly<Record<string, string>> = {
  validation_error: "VALIDATION_ERROR",
  not_found: "REFERENCE_NOT_FOUND",
  insufficient_scope: "PERMISSION_DENIED",
  idempotency_mismatch: "IDEMPOTENCY_CONFLICT",
  rate_limited: "RATE_LIMITED",
  busy: "RATE_LIMITED",
  request_in_progress: "RATE_LIMITED",
  budget_exceeded: "BUDGET_EXCEEDED",
  internal: "SERVICE_UNAVAILABLE",
};

const recoveries: Readonly<Record<string, string>> = {
  RATE_LIMITED: "transient",
  SERVICE_UNAVAILABLE: "transient",
  PERMISSION_DENIED: "terminal",
};

type Failure = { readonly code: string; readonly message: string; readonly field?: string };

/** An error as the protocol writes it. The text of an unexpected one says only that something went wrong. */
export function errorOf(error: unknown, requestId: string) {
  const { code, message, field }: Failure = error instanceof AdcpFailure ? error : ownFailure(error, requestId);
  // a conflict must tell nothing about the first request
  if (code === "IDEMPOTENCY_CONFLICT") return { code, message };
  return { code, message, recovery: recoveries[code] ?? "correctable", ...(field && { field }) };
}

function ownFailure(error: unknown, requestId: string): Failure {
  const body = error instanceof FailedRequest ? error.body : undefined;
  const details = body?.details ?? (isDomainError(error) && "issues" in error.facts ? error.facts.issues : undefined);
  const field = Array.isArray(details) ? `${details[0]?.path ?? ""}` : "";
  const code = body?.code ?? (isDomainError(error) ? error.code : "internal");
  const message = failureText(error, requestId).replace(/^[a-z_]+: /, "");
  return { code: codes[code] ?? code.toUpperCase(), message, ...(field && { field }) };
}

const contextOf = ({ context }: Arguments) => (typeof context === "object" && context !== null ? { context } : {});

/** An answer in the protocol's envelope. */
export const answered = (args: Arguments, payload: object, status = "completed"): object => ({
  status,
  ...payload,
  ...contextOf(args),
});

/** A refused call: for programs and for hosts that read only text. */
export function refused(args: Arguments, error: unknown, requestId: string): CallToolResult {
  const adcp_error = errorOf(error, requestId);
  const structuredContent = { status: "failed", adcp_error, errors: [adcp_error], ...contextOf(args) };
  return { isError: true, structuredContent, content: [{ type: "text", text: JSON.stringify(structuredContent) }] };
}
