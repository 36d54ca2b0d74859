import { z } from "zod";
import { DomainError } from "../../errors.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { badResponse, contentRefused, refusedInWords } from "../client/errors.ts";

const Content = z.object({
  type: z.string(),
  text: z.string().nullish(),
  data: z.string().nullish(),
  uri: z.string().nullish(),
});
const JobError = z.object({ code: z.unknown(), status: z.unknown(), message: z.unknown() }).partial();
// the first step repeats the request, and steps of other types have other contents
const Step = z.object({
  type: z.string(),
  content: z.array(Content).nullish().catch(null),
  error: JobError.nullish(),
});

/** A job of Google's Interactions API. */
export const Interaction = z.object({
  id: z.string().min(1).nullish(),
  status: z.string().nullish(),
  steps: z.array(Step).nullish(),
  output_video: Content.nullish(),
  error: JobError.nullish(),
  errors: z.array(JobError).nullish(),
  usage: z.object({ total_input_tokens: z.number(), total_output_tokens: z.number() }).partial().nullish(),
});
export type Interaction = z.infer<typeof Interaction>;

/** The URL of the video, or the video itself in base64. */
export type OutputVideo = { readonly uri: string } | { readonly data: string };

const endStatuses = ["completed", "succeeded", "failed", "cancelled", "canceled", "incomplete", "budget_exceeded"];

/** `requires_action` counts as an end, because this service cannot act. A job of unknown status counts as running. */
export const hasEnded = ({ status, error }: Interaction): boolean =>
  status ? [...endStatuses, "requires_action"].includes(status) : Boolean(error);

/** The video of an ended job. Throws a DomainError if there is none. */
export function videoOf(job: Interaction, credentials: ModelCredentials): OutputVideo {
  const failed = (what: string) => new DomainError("provider_error", { reason: `${credentials.providerName} ${what}` });
  switch (job.status) {
    case "completed":
    case "succeeded":
      return videoIn(job, credentials);
    case "cancelled":
    case "canceled":
      throw failed("cancelled the video");
    case "incomplete":
      throw badResponse(credentials, "it is incomplete");
    case "requires_action":
      throw badResponse(credentials, "it requires an action");
    case "budget_exceeded":
      throw new DomainError("provider_quota_exhausted", { provider: credentials.providerName });
    default:
      throw isRefused(job) ? contentRefused(credentials) : failed("could not make the video");
  }
}

function videoIn({ steps, output_video }: Interaction, credentials: ModelCredentials): OutputVideo {
  const contents = (steps ?? []).filter(({ type }) => type === "model_output").flatMap(({ content }) => content ?? []);
  for (const { type, data, uri } of [...contents, ...(output_video ? [output_video] : [])]) {
    if (type !== "video") continue;
    if (data) return { data };
    if (uri) return { uri };
  }
  // this model refuses with a completed job that contains only text
  if (contents.some(({ text }) => text?.trim())) throw refusedInWords(credentials);
  throw badResponse(credentials, "it contains no video");
}

function isRefused({ error, errors, steps }: Interaction): boolean {
  const jobErrors = [error, ...(errors ?? []), ...(steps ?? []).map((step) => step.error)];
  return /safety|prohibited|policy|policies|blocked/i.test(JSON.stringify(jobErrors));
}
