import type { ScenarioDraft } from "../../src/domain/ai/output-schemas.ts";

/** Answers of language models, as each provider sends them. */

export type Said = { readonly text?: string; readonly why?: "stop" | "length" | "refusal" };

export function openaiAnswer({ text = "", why = "stop" }: Said): Response {
  const said = { type: "output_text", text, annotations: [] };
  const content = [why === "refusal" ? { type: "refusal", refusal: "I can't help with that." } : said];
  return Response.json({
    ...{ id: "resp_1", created_at: 1, model: "gpt-6-luna", status: why === "length" ? "incomplete" : "completed" },
    output: [{ type: "message", id: "msg_1", role: "assistant", content }],
    incomplete_details: why === "length" ? { reason: "max_output_tokens" } : null,
    usage: { input_tokens: 40, output_tokens: 7 },
  });
}

const googleReasons = { stop: "STOP", length: "MAX_TOKENS", refusal: "SAFETY" };

export const googleAnswer = ({ text = "", why = "stop" }: Said): Response =>
  Response.json({
    candidates: [{ content: { role: "model", parts: text ? [{ text }] : [] }, finishReason: googleReasons[why] }],
    usageMetadata: { promptTokenCount: 40, candidatesTokenCount: 7, totalTokenCount: 47 },
  });

export const draft: ScenarioDraft = {
  scenes: [
    {
      ...{ scene_index: 0, duration_seconds: 4, image_prompt: "A cup", negative_prompt: "", video_prompt: "It turns" },
      ...{ text_overlay: null, transition: "cut" },
    },
  ],
};

/** Answers one after the other; the last one from then on. */
export function inTurn(...replies: readonly (() => Response | Promise<Response>)[]) {
  let next = 0;
  return () => replies[Math.min(next++, replies.length - 1)]!();
}
