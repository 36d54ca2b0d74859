import { createHash } from "node:crypto";
import type { Source } from "../../../engine/timeline/source.ts";
import type { CaptionContent } from "../../captions/content.ts";
import type { CompleteRequest } from "../../exports/request/fill-from-editor.ts";
import { mapAssetIds } from "../../exports/request/layers/asset-ids.ts";
import type { LayerRequest } from "../../exports/request/layers/schema.ts";
import { videoField } from "../../exports/request/placement/files.ts";
import type { SoundReference, SoundReferences } from "../../exports/request/sounds.ts";
import type { Sources } from "../../exports/request/sources.ts";
import type { VideoTarget } from "../../exports/request/targets.ts";
import { canonicalJson } from "../../shared/json.ts";

type IdentifiedVideo = {
  readonly request: CompleteRequest;
  readonly sources: Sources;
  readonly sounds: SoundReferences;
  readonly language: string;
  /** Distinguishes films whose contents are not all known. */
  readonly seed?: string | undefined;
};

/**
 * Hashes the content of each target of a film: its request, with the contents of media in place of their ids. Equal for
 * another work with the same content, and for another version of the service.
 */
export function identitiesOf(
  { request, sources, sounds, language, seed }: IdentifiedVideo,
  targets: readonly VideoTarget[],
): readonly string[] {
  const {
    projectId: _,
    workId: __,
    clips,
    texts = [],
    images = [],
    layers,
    audio,
    voice,
    captions,
    options,
    gate,
  } = request;
  const hashed = <Item>(item: Item, path: string): Item =>
    mapAssetIds(item, path, (_id, at) => hashOf(sources.files?.get(at)));
  const { targets: ___, ...settings } = options ?? {};
  const content = canonicalJson({
    language,
    ...(seed !== undefined && { seed }),
    clips: clips.map((clip, at) => ({
      ...clip,
      sceneIndex: hashOf(sources.clips[at]),
      ...(clip.transitionAssetId !== undefined && { transitionAssetId: hashOf(sources.lumas?.[at]) }),
    })),
    texts: texts.map((text, at) => ({ ...hashed(text, `texts.${at}`), fontAssetId: hashOf(sources.fonts[at]) })),
    images: images.map((image, at) => ({ ...hashed(image, `images.${at}`), assetId: hashOf(sources.images[at]) })),
    layers: layers && withVideoHashes(hashed(layers, "layers"), "layers", sources),
    audio: audio && { ...audio, audioUrl: soundOf(sounds.music) },
    voice: voice && { ...voice, audioUrl: soundOf(sounds.voice), recordings: recordingsOf(sources) },
    ...(request.sounds && {
      sounds: request.sounds.map((sound, at) => ({
        ...sound,
        ...{ assetId: hashOf(sources.sounds?.[at]), audioUrl: soundOf(sounds.added[at]) },
      })),
    }),
    captions: captions && {
      ...captions,
      ...{
        assetId: undefined,
        fontAssetId: hashOf(sources.captions?.font),
        content: contentOf(sources.captions?.content),
      },
      spoken: [...sources.recordings.scenes.values()].map(({ speech }) => speech?.words),
    },
    settings,
    // a gate with other rules may have another result
    ...(gate && { gate: { gate, platforms: request.platforms, rules: request.rules } }),
  });
  return targets.map((target) => createHash("sha256").update(target).update("\n").update(content).digest("hex"));
}

/** Videos by scenes and by URLs, of which the ids and the addresses differ. */
const withVideoHashes = (
  layers: readonly LayerRequest[],
  list: string,
  { files }: Pick<Sources, "files">,
): readonly object[] =>
  layers.map((layer, index) => {
    const path = `${list}.${index}`;
    if (layer.type === "group") {
      return { ...layer, layers: withVideoHashes(layer.layers, `${path}.layers`, { files }) };
    }
    if (layer.type !== "video") return layer;
    const { assetId: _, sceneIndex: __, videoUrl: ___, ...rest } = layer;
    return { ...rest, assetId: hashOf(files?.get(`${path}.${videoField(layer)}`)) };
  });

/** The words of captions, without anything else in a file. */
function contentOf(content: CaptionContent | undefined) {
  if (content?.kind !== "cues") return content;
  const { leftOut: _, ...said } = content;
  return said;
}

const hashOf = (source: Source | undefined): string | undefined => source?.hash;

const soundOf = (sound: SoundReference | undefined): string | undefined =>
  sound && ("source" in sound ? hashOf(sound.source) : sound.externalUrl);

const recordingsOf = ({ recordings }: Sources) => ({
  work: hashOf(recordings.work?.source),
  scenes: [...recordings.scenes].map(([scene, { source }]) => [scene, hashOf(source)]),
});
