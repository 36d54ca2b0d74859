import { z } from "zod";
import type { ModelCredentials } from "../client/credentials.ts";

export const generateContentUrl = ({ baseUrl, modelId }: ModelCredentials): string =>
  `${baseUrl}/models/${encodeURIComponent(modelId)}:generateContent`;

/** The response of :generateContent, with the parts that a caller reads. */
export const generateContentResponse = <Part extends z.ZodType>(part: Part) =>
  z.object({
    candidates: z
      .array(
        z.object({
          finishReason: z.string().optional(),
          content: z.object({ parts: z.array(part).optional() }).optional(),
        }),
      )
      .optional(),
    promptFeedback: z.object({ blockReason: z.string().optional() }).optional(),
    usageMetadata: z.object({ promptTokenCount: z.number(), candidatesTokenCount: z.number() }).partial().optional(),
  });

type Response = z.infer<ReturnType<typeof generateContentResponse>>;

export const usageOf = ({ usageMetadata }: Response) =>
  usageMetadata && { inputTokens: usageMetadata.promptTokenCount, outputTokens: usageMetadata.candidatesTokenCount };

const refusalReason = /SAFETY|PROHIBITED_CONTENT|BLOCKLIST|SPII/;

export const isBlocked = ({ candidates, promptFeedback }: Response): boolean =>
  Boolean(promptFeedback?.blockReason) || refusalReason.test(candidates?.[0]?.finishReason ?? "");
