import type { DigitalSource, Engine, Ingredient, Signer, Statement } from "../../engine/ports.ts";
import type { Disclosure } from "../../engine/timeline/disclosure.ts";
import type { Format } from "../../engine/timeline/format.ts";
import { sourcesOfLayer } from "../../engine/timeline/overlay-sources.ts";
import type { FileManifest, MediaFacts, ModelId, Source } from "../../engine/timeline/source.ts";
import { frameAt, sampleClock, toSeconds } from "../../engine/timeline/time.ts";
import type { Timeline } from "../../engine/timeline/timeline.ts";
import { clipsOf, lumaOf } from "../../engine/timeline/track.ts";
import { sha256Of, withoutUndefined } from "../../platform/values.ts";
import type { WorkMedia } from "../works/media.ts";
import type { Inputs } from "./inputs.ts";

/** The inputs and tools of a film, and its signer. */
export type Production = {
  readonly statement: Statement;
  readonly inputs: Inputs;
  /** See `timelineHash`. */
  readonly timeline: string;
  readonly engine: Engine;
  /** The label of AI, with words in the language of the work. Absent without one. */
  readonly label?: Pick<Disclosure, "text" | "place">;
  /** Absent if the videos carry no provenance. */
  readonly signed?: { readonly by: string; readonly isLocal: boolean };
  /** The format for whose files the service has no form of a manifest, if it signs others. */
  readonly unsigned?: Format;
};

/** The provider whose pictures are drawn by rules, without a trained model. */
const rulesProvider = "local";

/** Describes the inputs of a film, in its order. `signer` is the installation's own. */
export function statementOf(timeline: Timeline, media: readonly WorkMedia[], signer?: Signer): Statement {
  const own = signer && certificateHash(signer);
  const ingredients = partsOf(timeline, media).map(({ ingredient, source: { facts } }) =>
    facts.manifest
      ? { ...ingredient, manifest: { ...facts.manifest, isOwn: isSignedBy(facts.manifest, own) } }
      : ingredient,
  );
  return { source: sourceOfWhole(ingredients), ingredients };
}

const isSignedBy = ({ state, signer }: FileManifest, own: string | undefined): boolean =>
  state === "valid" && own !== undefined && signer?.sha256 === own;

/** The files of a film whose own manifests its manifest can carry. */
export const signedFiles = (timeline: Timeline, media: readonly WorkMedia[]): readonly Source[] =>
  partsOf(timeline, media).flatMap(({ source }) => (source.facts.manifest?.isIntact ? [source] : []));

/** The frame at which output of a trained model first appears or sounds; undefined if none does. */
export function firstGenerated(timeline: Timeline, media: readonly WorkMedia[]): number | undefined {
  const generated = partsOf(timeline, media).filter(({ ingredient }) => isFromTrainedModel(ingredient));
  return generated.length > 0 ? Math.min(...generated.map(({ start }) => start)) : undefined;
}

type Part = {
  readonly ingredient: Ingredient;
  readonly source: Source;
  /** The first frame with it, or with a file made from it. */
  readonly start: number;
};

/** The uses of a film's files, in the order of the film. */
function partsOf(timeline: Timeline, media: readonly WorkMedia[]): readonly Part[] {
  const bySha = Map.groupBy(media, ({ file }) => file.sha256);
  const parts = new Map<string, Part>();
  const add = (role: Ingredient["role"], file: Source, slots: RegExp, start: number) => {
    const { hash, facts } = file;
    const found = bySha.get(hash)?.find(({ slot }) => slots.test(slot));
    const model = facts.generatedBy ?? bySha.get(hash)?.find(({ origin }) => origin?.model)?.origin?.model;
    const source = sourceOfFile(model, facts);
    const ingredient = {
      role,
      ...sceneOf(found),
      ...{ sha256: hash, mimeType: facts.mimeType },
      ...withoutUndefined({ source, model }),
      ...(found?.origin?.model && { inputHash: found.origin.inputHash }),
    };
    const key = `${role} ${hash}`;
    parts.set(key, { ingredient, source: file, start: Math.min(start, parts.get(key)?.start ?? start) });
    if (role === "clip" && found) addStill(found, start);
  };
  /** The image from which a scene's clip was made: one that is older than the clip. */
  const addStill = ({ slot, origin, createdAt }: WorkMedia, start: number) => {
    if (!origin?.model || !slot.endsWith("/video")) return;
    const still = media.find((other) => other.slot === slot.replace(/video$/, "image"));
    if (!still || still.createdAt > createdAt) return;
    const { sha256: hash, key: file, facts } = still.file;
    add("sceneImage", { file, hash, facts }, /\/image$/, start);
  };
  for (const { source, range } of new Set(timeline.track.spans.flatMap(clipsOf)))
    add("clip", source, slotsOf("clip"), range.start);
  for (const span of timeline.track.spans) {
    const luma = lumaOf(span);
    if (luma) add("image", luma, slotsOf("image"), span.range.start);
  }
  for (const overlay of timeline.overlays) {
    for (const source of sourcesOfLayer(overlay)) {
      const role = roleOf(source);
      add(role, source, slotsOf(role), overlay.range.start);
    }
  }
  if (timeline.captions?.style.font) add("font", timeline.captions.style.font, /^$/, 0);
  for (const { source, range } of timeline.sound.voices ?? []) add("voice", source, /voice$/, range.start);
  if (timeline.sound.music) add("music", timeline.sound.music.source, /^audio$/, 0);
  for (const { role, source, range } of timeline.sound.added ?? []) {
    const start = frameAt(toSeconds(range.start, sampleClock), timeline.rate);
    add(role, source, slotsOf(role), start);
  }
  return [...parts.values()];
}

/** The work's files that have a role. */
function slotsOf(role: Ingredient["role"]): RegExp {
  if (role === "clip") return /^scene\/\d+\/(video|image)$/;
  if (role === "image" || role === "font") return /^$/;
  return role === "voice" ? /voice$/ : /^audio$/;
}

const roleOf = ({ facts: { kind } }: Source): Ingredient["role"] =>
  kind === "font" ? "font" : kind === "video" ? "clip" : "image";

/** A file's declared sources: its manifest, valid or not, and unsigned metadata. */
type Declarations = Pick<MediaFacts, "manifest" | "declaredSources">;

/** The source of the model that made a file; for an upload, its declaration of trained models. */
function sourceOfFile(model: ModelId | undefined, { manifest, declaredSources }: Declarations): Ingredient["source"] {
  if (model) return isTrained(model) ? "trainedAlgorithmicMedia" : "algorithmicMedia";
  const declared = [...(manifest?.sources ?? []), ...(declaredSources ?? [])];
  return trainedSources.find((name) => declared.includes(name));
}

/** True if a trained model made a file or a part of it, as far as the service or the file's own manifest knows. */
export const hasTrainedParts = (facts: MediaFacts): boolean =>
  isFromTrainedModel({ source: sourceOfFile(facts.generatedBy, facts) });

function sceneOf(media: WorkMedia | undefined): Pick<Ingredient, "scene"> {
  const [, scene] = media?.slot.match(/^scene\/(\d+)\//) ?? [];
  return scene === undefined ? {} : { scene: Number(scene) };
}

/** A film is composed of several parts, including its own drawn texts. */
function sourceOfWhole(ingredients: readonly Ingredient[]): DigitalSource {
  return ingredients.some(isFromTrainedModel) ? "compositeWithTrainedAlgorithmicMedia" : "composite";
}

const isTrained = ({ provider }: Pick<ModelId, "provider">): boolean => provider !== rulesProvider;

const trainedSources = ["trainedAlgorithmicMedia", "compositeWithTrainedAlgorithmicMedia"] as const;

export const isFromTrainedModel = ({ source }: Pick<Ingredient, "source">): boolean =>
  trainedSources.some((trained) => trained === source);

/** SHA-256 of the signer's own certificate, in hexadecimal digits. */
const certificateHash = ({ certificates: [own] }: Signer): string =>
  // safe because a signer has a certificate
  sha256Of(own!);
