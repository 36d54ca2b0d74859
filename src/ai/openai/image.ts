import { z } from "zod";
import type { ImageModel, ImageTask } from "../../domain/ai/models.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { badResponse } from "../client/errors.ts";
import { decodeImage, maxImageResponseBytes, truncateAtWord } from "../client/image-response.ts";
import { requestJson } from "../client/json-client.ts";
import { openaiImageSize } from "./image-size.ts";

const maxPromptLength = 32_000;

const ImagesResponse = z.object({
  data: z.array(z.object({ b64_json: z.string().nullish() })),
  usage: z.object({ input_tokens: z.number().optional(), output_tokens: z.number().optional() }).nullish(),
});

/** GPT Image. A request is never repeated, because a lost image is billed too. */
export const openaiImage = (credentials: ModelCredentials): ImageModel => ({
  isBilled: true,

  draw(task, call) {
    const target = { provider: credentials.providerId, model: credentials.modelId, purpose: "image" } as const;
    return call.track(target, async (signal) => {
      const { data, usage } = await requestJson(requestOf(task, credentials), signal);
      const base64 = data[0]?.b64_json;
      if (!base64) throw badResponse(credentials, "it contains no image");
      const result = decodeImage(base64, credentials);
      return { result, ...(usage && { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens }) };
    });
  },
});

const requestOf = ({ prompt, resolution }: ImageTask, credentials: ModelCredentials) => ({
  credentials,
  url: `${credentials.baseUrl}/images/generations`,
  headers: { authorization: `Bearer ${credentials.apiKey}` },
  body: {
    model: credentials.modelId,
    prompt: truncateAtWord(prompt, maxPromptLength),
    n: 1,
    size: openaiImageSize(credentials.modelId, resolution),
  },
  maxBytes: maxImageResponseBytes,
  responseSchema: ImagesResponse,
});
