import type { ScenarioOutput } from "../../../src/domain/ai/output-schemas.ts";

/** The output of a language model, and why the model stopped. */
export type ScriptedText = { readonly text?: string; readonly finish?: "stop" | "length" | "refusal" };

/** The output in OpenAI's response format. */
export function openaiResponse({ text = "", finish = "stop" }: ScriptedText): Response {
  const refusal = { type: "refusal", refusal: "I can't help with that." };
  const content = [finish === "refusal" ? refusal : { type: "output_text", text, annotations: [] }];
  return Response.json({
    id: "resp_1",
    created_at: 1,
    model: "gpt-6-luna",
    status: finish === "length" ? "incomplete" : "completed",
    output: [{ type: "message", id: "msg_1", role: "assistant", content }],
    incomplete_details: finish === "length" ? { reason: "max_output_tokens" } : null,
    usage: { input_tokens: 40, output_tokens: 7 },
  });
}

const googleFinishReasons = { stop: "STOP", length: "MAX_TOKENS", refusal: "SAFETY" };

/** The output in Google's response format. */
export const googleResponse = ({ text = "", finish = "stop" }: ScriptedText): Response =>
  Response.json({
    candidates: [
      { content: { role: "model", parts: text ? [{ text }] : [] }, finishReason: googleFinishReasons[finish] },
    ],
    usageMetadata: { promptTokenCount: 40, candidatesTokenCount: 7, totalTokenCount: 47 },
  });

export const scenarioOutput: ScenarioOutput = {
  scenes: [
    {
      scene_index: 0,
      duration_seconds: 4,
      image_prompt: "A cup",
      negative_prompt: "",
      video_prompt: "It turns",
      text_overlay: null,
      voice_text: null,
      transition: "cut",
    },
  ],
};

/** Returns the replies in order; the last one repeats. */
export function inSequence(...replies: readonly (() => Response | Promise<Response>)[]) {
  let next = 0;
  return () => replies[Math.min(next++, replies.length - 1)]!();
}
