import { z } from "zod";
import { DomainError } from "../../errors.ts";
import type { Access } from "../client/credentials.ts";
import { refusal, unusable } from "../client/errors.ts";

const Content = z.object({
  type: z.string(),
  text: z.string().nullish(),
  data: z.string().nullish(),
  uri: z.string().nullish(),
});
const Complaint = z.object({ code: z.unknown(), status: z.unknown(), message: z.unknown() }).partial();
// the first step repeats the request, and steps of other kinds hold contents of other forms
const Step = z.object({
  type: z.string(),
  content: z.array(Content).nullish().catch(null),
  error: Complaint.nullish(),
});

/** A job as Google tells of it. */
export const Interaction = z.object({
  id: z.string().min(1).nullish(),
  status: z.string().nullish(),
  steps: z.array(Step).nullish(),
  output_video: Content.nullish(),
  error: Complaint.nullish(),
  errors: z.array(Complaint).nullish(),
  usage: z.object({ total_input_tokens: z.number(), total_output_tokens: z.number() }).partial().nullish(),
});
export type Interaction = z.infer<typeof Interaction>;

/** Where the video is, or the video itself in base64. */
export type MadeVideo = { readonly uri: string } | { readonly data: string };

const ends = ["completed", "succeeded", "failed", "cancelled", "canceled", "incomplete", "budget_exceeded"];

/** Nobody here can do what `requires_action` waits for. A status that is not known may still turn into one that is. */
export const hasEnded = ({ status, error }: Interaction): boolean =>
  status ? [...ends, "requires_action"].includes(status) : Boolean(error);

/** The video of a job that has ended. Throws why there is none. */
export function madeVideo(job: Interaction, access: Access): MadeVideo {
  const failed = (what: string) => new DomainError("provider_error", { reason: `${access.providerName} ${what}` });
  switch (job.status) {
    case "completed":
    case "succeeded":
      return videoIn(job, access);
    case "cancelled":
    case "canceled":
      throw failed("cancelled the video");
    case "incomplete":
      throw unusable(access, "it broke off before its end");
    case "requires_action":
      throw unusable(access, "it asks for something in return");
    case "budget_exceeded":
      throw new DomainError("provider_quota_exhausted", { provider: access.providerName });
    default:
      throw wasRefused(job) ? refusal(access) : failed("could not make the video");
  }
}

function videoIn({ steps, output_video }: Interaction, access: Access): MadeVideo {
  const contents = (steps ?? []).filter(({ type }) => type === "model_output").flatMap(({ content }) => content ?? []);
  for (const { type, data, uri } of [...contents, ...(output_video ? [output_video] : [])]) {
    if (type !== "video") continue;
    if (data) return { data };
    if (uri) return { uri };
  }
  // this model refuses in words: a job that is complete, and only talks
  if (contents.some(({ text }) => text?.trim())) throw refusal(access);
  throw unusable(access, "there is no video in it");
}

function wasRefused({ error, errors, steps }: Interaction): boolean {
  const complaints = [error, ...(errors ?? []), ...(steps ?? []).map((step) => step.error)];
  return /safety|prohibited|policy|policies|blocked/i.test(JSON.stringify(complaints));
}
