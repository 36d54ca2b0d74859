import type { UserContent } from "ai";
import type {
  DescribeAssetTask,
  LanguageModel,
  MatchProductTask,
  Prompt,
  VisionModel,
} from "../../domain/ai/models.ts";
import {
  AssetDescription,
  ProductMatch,
  ScenarioOutput,
  StyleGuideOutput,
  TranslationOutput,
  textName,
  VideoDescription,
} from "../../domain/ai/output-schemas.ts";
import type { ProviderCall } from "../../domain/ai/provider-calls.ts";
import type { VideoFrame } from "../../engine/ports.ts";
import { generateStructured, type StructuredRequest } from "./structured-output.ts";

export type Content = Exclude<UserContent, string>;

/** The part of a request that is equal for all requests to one model. */
export type ModelTarget = Pick<StructuredRequest<unknown>, "credentials" | "model" | "providerOptions">;

/** Our language model on top of a model of the AI SDK. */
export const languageModel = (target: ModelTarget): LanguageModel => ({
  isBilled: true,

  writeScenario: ({ prompt }, call) =>
    generateStructured({ ...target, ...inputOf(prompt), purpose: "scenario", schema: ScenarioOutput }, call),

  extractStyleGuide: ({ prompt }, call) =>
    generateStructured({ ...target, ...inputOf(prompt), purpose: "style_guide", schema: StyleGuideOutput }, call),

  async translate({ prompt, count }, call) {
    const request = { ...target, ...inputOf(prompt), purpose: "translation" as const };
    const output = await generateStructured({ ...request, schema: TranslationOutput(count) }, call);
    return Array.from({ length: count }, (_, at) => output[textName(at)] ?? "");
  },
});

/** Our vision model on top of one that accepts no video files: it gets frames instead. */
export const frameVision = (target: ModelTarget): VisionModel => ({
  isBilled: true,
  inputFor: () => "frames",
  describeVideo: ({ prompt, frames }, call) => describeVideo(target, { prompt, content: frameParts(frames) }, call),
  describeAsset: (task, call) => describeAsset(target, { prompt: task.prompt, content: contentOf(task) }, call),
  matchProduct: (task, call) => matchProduct(target, task, call),
});

const contentOf = ({ file, frames }: DescribeAssetTask) =>
  file.facts.kind === "image" ? frames.map(imagePart) : frameParts(frames);

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

export const describeAsset = (
  target: ModelTarget,
  { prompt, content }: VisualPrompt,
  call: ProviderCall,
): Promise<AssetDescription> => {
  const input = inputOf(prompt, content);
  return generateStructured({ ...target, ...input, purpose: "describe", schema: AssetDescription }, call);
};

export function matchProduct(target: ModelTarget, task: MatchProductTask, call: ProviderCall): Promise<ProductMatch> {
  const images = [...task.references, task.picture].flatMap(({ image }) => image ?? []);
  const labels = images.map((_, index) =>
    index < images.length - 1 ? `Product, picture ${index + 1}:` : "New picture:",
  );
  const content = images.flatMap((image, index) => [{ type: "text" as const, text: labels[index]! }, imagePart(image)]);
  const input = inputOf(task.prompt, content);
  return generateStructured({ ...target, ...input, purpose: "match", schema: ProductMatch }, call);
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
