import { z } from "zod";
import type { ImageModel, ImageTask } from "../../domain/ai/models.ts";
import type { Access } from "../client/credentials.ts";
import { refusal, unusable } from "../client/errors.ts";
import { cutAtWord, drawnPicture, maxAnswerBytes } from "../client/image-response.ts";
import { askJson } from "../client/json-client.ts";
import { googleImageConfig } from "./image-size.ts";

const maxPromptLength = 32_000;

const Part = z.object({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  inlineData: z.object({ data: z.string() }).optional(),
});
const Candidate = z.object({
  finishReason: z.string().optional(),
  content: z.object({ parts: z.array(Part).optional() }).optional(),
});
const Answer = z.object({
  candidates: z.array(Candidate).optional(),
  promptFeedback: z.object({ blockReason: z.string().optional() }).optional(),
  usageMetadata: z.object({ promptTokenCount: z.number(), candidatesTokenCount: z.number() }).partial().optional(),
});
type Answer = z.infer<typeof Answer>;

/** Gemini's image models. Each is asked once, whatever comes of it: a picture that got lost is paid for too. */
export const googleImage = (access: Access): ImageModel => ({
  isBilled: true,

  draw: (task, call) =>
    call.track({ provider: access.providerId, model: access.modelId, purpose: "image" }, async (signal) => {
      const answer = await askJson(request(access, task), signal);
      const result = drawnPicture(pictureIn(answer, access), access);
      const usage = answer.usageMetadata;
      return {
        result,
        ...(usage && { inputTokens: usage.promptTokenCount, outputTokens: usage.candidatesTokenCount }),
      };
    }),
});

const request = (access: Access, { prompt, resolution }: ImageTask) => ({
  access,
  url: `${access.baseUrl}/models/${encodeURIComponent(access.modelId)}:generateContent`,
  headers: { "x-goog-api-key": access.apiKey },
  body: {
    contents: [{ role: "user", parts: [{ text: cutAtWord(prompt, maxPromptLength) }] }],
    generationConfig: {
      responseModalities: ["IMAGE"],
      imageConfig: googleImageConfig(access.modelId, resolution),
    },
  },
  maxBytes: maxAnswerBytes,
  answer: Answer,
});

/** The last picture that is no sketch of the model's own thinking, as base64. */
function pictureIn({ candidates, promptFeedback }: Answer, access: Access): string {
  const [candidate] = candidates ?? [];
  const parts = (candidate?.content?.parts ?? []).filter(({ thought }) => !thought);
  const data = parts.findLast(({ inlineData }) => inlineData)?.inlineData?.data;
  if (data) return data;
  const words = parts.map(({ text }) => text ?? "").join(" ");
  const isBlocked = promptFeedback?.blockReason || refusing.test(candidate?.finishReason ?? "");
  throw isBlocked || declining.test(words) ? refusal(access) : unusable(access, "there is no picture in it");
}

const refusing = /SAFETY|PROHIBITED_CONTENT|BLOCKLIST|SPII|RECITATION/;
/** Some refusals are an answer like any other, but in words. */
const declining = /\b(can(no|['’])t|unable to|not able to|won['’]t|policy|policies|guidelines)\b/i;
