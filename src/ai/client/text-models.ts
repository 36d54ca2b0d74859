import type { UserContent } from "ai";
import type { LanguageModel, Prompt } from "../../domain/ai/models.ts";
import { AssetDescription, FilmDescription, ScenarioDraft, StyleGuideDraft } from "../../domain/ai/output-schemas.ts";
import type { ProviderCall } from "../../domain/ai/provider-calls.ts";
import type { VideoFrame } from "../../domain/ai/video-metrics.ts";
import { ask, type Question } from "./ask.ts";

export type Content = Exclude<UserContent, string>;

/** What is the same in every question to one model. */
export type Addressee = Pick<Question<unknown>, "access" | "model" | "providerOptions">;

/** A language model of a provider that the AI SDK speaks to. */
export const languageModel = (addressee: Addressee): LanguageModel => ({
  isBilled: true,

  writeScenario: ({ prompt }, call) =>
    ask({ ...addressee, ...question(prompt), purpose: "scenario", answer: ScenarioDraft }, call),

  readStyleGuide: ({ prompt }, call) =>
    ask({ ...addressee, ...question(prompt), purpose: "style_guide", answer: StyleGuideDraft }, call),
});

type Showing = { readonly prompt: Prompt; readonly content: Content };

/** A film described, by what is shown of it. */
export const describedFilm = (addressee: Addressee, { prompt, content }: Showing, call: ProviderCall) =>
  ask({ ...addressee, ...question(prompt, content), purpose: "analyze", answer: FilmDescription }, call);

/** An asset described, by what is shown of it. */
export async function describedAsset(
  addressee: Addressee,
  { prompt, content }: Showing,
  call: ProviderCall,
): Promise<string> {
  const parts = { ...addressee, ...question(prompt, content) };
  return (await ask({ ...parts, purpose: "describe", answer: AssetDescription }, call)).description;
}

/** Pictures of a film, each after the time it was taken at. */
export const shownFrames = (frames: readonly VideoFrame[]): Content =>
  frames.flatMap((frame) => [{ type: "text", text: `Frame at ${frame.atSeconds.toFixed(2)} s:` }, shownPicture(frame)]);

export const shownPicture = ({ bytes, mimeType }: Omit<VideoFrame, "atSeconds">): Content[number] => ({
  type: "file",
  data: bytes,
  mediaType: mimeType,
});

const question = ({ system, message }: Prompt, content: Content = []) => ({
  system,
  content: [{ type: "text" as const, text: message }, ...content],
});
