import { isDomainError } from "../../../errors.ts";
import type { ErrorBody } from "../../response/error-response.ts";

/** An error response to a request inside the app. */
export class FailedRequest extends Error {
  override readonly name = "FailedRequest";

  constructor(readonly body: ErrorBody) {
    super(body.error);
  }
}

export async function failureOf(response: Response): Promise<FailedRequest> {
  // safe because the app answers each error with this body
  return new FailedRequest((await response.json()) as ErrorBody);
}

/** Next steps for errors whose sentence does not name one in terms of the tools. */
const nextSteps: Partial<Record<ErrorBody["code"], string>> = {
  insufficient_scope: "The user has to give this connection a token with the required scopes.",
  not_found: "Take ids from projects_list, works_list, assets_list, templates_list, or from the result that made it.",
  not_ready: "Wait with export_status.",
  nothing_to_export: "Call works_generate_scene or works_set_scene_media for each scene, then try again.",
  scene_video_missing: "Call works_generate_scene or works_set_scene_media for this scene, then try again.",
  scene_missing: "Call works_generate_scenario, or set scenes with works_update.",
  no_duration: "Set videoDuration with works_update.",
  asset_missing: "Take the id from assets_list, or add the file with assets_add_from_url or assets_upload.",
  provider_key_required:
    "Choose the provider local if it makes this, or let the user set the key as a header of this connection (x-api-key), or pass apiKey.",
  provider_key_rejected: "Choose the provider local, or let the user check the key.",
  provider_quota_exhausted: "Choose the provider local, or let the user raise the quota.",
  unknown_provider: "providers_list names the providers of each category.",
  unsupported_capability: "providers_list names the providers of each category.",
  provider_model_unavailable: "providers_list names the models of each provider.",
  payload_too_large: "Larger files come in by assets_add_from_url, or by an upload over HTTP.",
  url_unreachable: "Check that the URL is public, or send the bytes with assets_upload.",
  idempotency_mismatch: "Use a new requestId for a new task.",
};

/** Formats an error for a model: its code, its sentence and the next step. */
export function failureText(error: unknown, requestId: string): string {
  const body = bodyOf(error);
  if (!body || body.code === "internal") return internalText(requestId);
  const { code, details, required, granted } = body;
  const issues =
    Array.isArray(details) && details.length > 1 ? details.map(({ path, message }) => `- ${path}: ${message}`) : [];
  const scopes = required && [`Required: ${required.join(", ")}. Granted: ${granted?.join(", ") || "none"}.`];
  return [`${code}: ${body.error}`, ...issues, ...(scopes ?? []), nextSteps[code] ?? []].flat().join("\n");
}

/** True for defects of the service, which must be logged here because no route has seen them. */
export const isUnexpected = (error: unknown): boolean => bodyOf(error) === undefined;

type Failure = Pick<ErrorBody, "code" | "error" | "details" | "required" | "granted">;

function bodyOf(error: unknown): Failure | undefined {
  if (error instanceof FailedRequest) return error.body;
  if (!isDomainError(error)) return undefined;
  const { code, message, facts } = error;
  return {
    code,
    error: message,
    ...("issues" in facts && { details: [...facts.issues] }),
    ...("required" in facts && { required: [...facts.required], granted: [...facts.granted] }),
  };
}

const internalText = (requestId: string) =>
  `Something went wrong. Try again later; if it goes wrong again, tell the operator the request id ${requestId}.`;
