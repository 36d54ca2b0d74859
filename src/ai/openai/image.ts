import { z } from "zod";
import type { ImageModel, ImageTask } from "../../domain/ai/models.ts";
import type { Access } from "../client/credentials.ts";
import { unusable } from "../client/errors.ts";
import { cutAtWord, drawnPicture, maxAnswerBytes } from "../client/image-response.ts";
import { askJson } from "../client/json-client.ts";
import { openaiImageSize } from "./image-size.ts";

const maxPromptLength = 32_000;

const Answer = z.object({
  data: z.array(z.object({ b64_json: z.string().nullish() })),
  usage: z.object({ input_tokens: z.number().optional(), output_tokens: z.number().optional() }).nullish(),
});

/** GPT Image. It is asked once, whatever comes of it: a picture that got lost is paid for too. */
export const openaiImage = (access: Access): ImageModel => ({
  isBilled: true,

  draw: (task, call) =>
    call.track({ provider: access.providerId, model: access.modelId, purpose: "image" }, async (signal) => {
      const { data, usage } = await askJson(request(access, task), signal);
      const base64 = data[0]?.b64_json;
      if (!base64) throw unusable(access, "there is no picture in it");
      const result = drawnPicture(base64, access);
      return { result, ...(usage && { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens }) };
    }),
});

const request = (access: Access, { prompt, resolution }: ImageTask) => ({
  access,
  url: `${access.baseUrl}/images/generations`,
  headers: { authorization: `Bearer ${access.apiKey}` },
  body: {
    model: access.modelId,
    prompt: cutAtWord(prompt, maxPromptLength),
    n: 1,
    size: openaiImageSize(access.modelId, resolution),
  },
  maxBytes: maxAnswerBytes,
  answer: Answer,
});
