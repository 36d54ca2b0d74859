import type { UserContent } from "ai";
import type { LanguageModel, Prompt } from "../../domain/ai/models.ts";
import {
  AssetDescription,
  ScenarioOutput,
  StyleGuideOutput,
  VideoDescription,
} from "../../domain/ai/output-schemas.ts";
import type { ProviderCall } from "../../domain/ai/provider-calls.ts";
import type { VideoFrame } from "../../domain/ai/video-metrics.ts";
import { generateStructured, type StructuredRequest } from "./structured-output.ts";

export type Content = Exclude<UserContent, string>;

/** The part of a request that is the same for all requests to one model. */
export type ModelTarget = Pick<StructuredRequest<unknown>, "credentials" | "model" | "providerOptions">;

/** Our language model on top of a model of the AI SDK. */
export const languageModel = (target: ModelTarget): LanguageModel => ({
  isBilled: true,

  writeScenario: ({ prompt }, call) =>
    generateStructured({ ...target, ...inputOf(prompt), purpose: "scenario", schema: ScenarioOutput }, call),

  extractStyleGuide: ({ prompt }, call) =>
    generateStructured({ ...target, ...inputOf(prompt), purpose: "style_guide", schema: StyleGuideOutput }, call),
});

/** A prompt with the images or videos to describe. */
type VisualPrompt = { readonly prompt: Prompt; readonly content: Content };

export const describeVideo = (
  target: ModelTarget,
  { prompt, content }: VisualPrompt,
  call: ProviderCall,
): Promise<VideoDescription> => {
  const input = inputOf(prompt, content);
  return generateStructured({ ...target, ...input, purpose: "analyze", schema: VideoDescription }, call);
};

export async function describeAsset(
  target: ModelTarget,
  { prompt, content }: VisualPrompt,
  call: ProviderCall,
): Promise<string> {
  const input = inputOf(prompt, content);
  const output = await generateStructured({ ...target, ...input, purpose: "describe", schema: AssetDescription }, call);
  return output.description;
}

/** The frames of a video, each preceded by its time. */
export const frameParts = (frames: readonly VideoFrame[]): Content =>
  frames.flatMap((frame) => [{ type: "text", text: `Frame at ${frame.atSeconds.toFixed(2)} s:` }, imagePart(frame)]);

export const imagePart = ({ bytes, mimeType }: Omit<VideoFrame, "atSeconds">): Content[number] => ({
  type: "file",
  data: bytes,
  mediaType: mimeType,
});

const inputOf = ({ system, message }: Prompt, content: Content = []) => ({
  system,
  content: [{ type: "text" as const, text: message }, ...content],
});
