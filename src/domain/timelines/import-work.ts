import type { FileStore, StoredFile } from "../../engine/ports.ts";
import type { MediaFacts } from "../../engine/timeline/source.ts";
import { type FrameRate, toSeconds } from "../../engine/timeline/time.ts";
import { invalid } from "../../errors.ts";
import { yieldIfBusy } from "../../platform/cpu.ts";
import type { AssetStore } from "../assets/assets.ts";
import type { Project } from "../projects/projects.ts";
import { hasAtMostKibibytes, sizeInWords } from "../shared/json.ts";
import type { Settings } from "../shared/settings.ts";
import { type EditorStateDraft, maxEditorStateKibibytes, type TrackAction } from "../works/editor-state.ts";
import { type MediaOrigin, putCopy, type WorkMediaPorts } from "../works/media.ts";
import { changeWork, createWork } from "../works/save.ts";
import { removeWork, type Work, type WorkStore } from "../works/works.ts";
import {
  type NamedMedia,
  type OtioTimeline,
  type ReadClip,
  type ReadEdit,
  type ReadTitle,
  readOtio,
} from "./read-otio.ts";

type ImportWorkPorts = WorkMediaPorts & {
  readonly works: WorkStore;
  readonly assets: Pick<AssetStore, "findAlike">;
  readonly files: FileStore;
  readonly settings: Pick<Settings, "maxUserBytes">;
};

/** What an edit has become. `lost` is for people; `missingMedia` are names of files that the project does not have. */
type ImportedWork = {
  readonly work: Work;
  readonly lost: readonly string[];
  readonly missingMedia: readonly string[];
};

const maxScenes = 500;

/** Creates a work from an edit of another program, with the assets of the project. Throws validation_error. */
export async function importWork(
  ports: ImportWorkPorts,
  project: Project,
  timeline: OtioTimeline,
): Promise<ImportedWork> {
  const edit = await readOtio(timeline);
  await yieldIfBusy();
  const find = await findMedia(ports, project.id, edit);
  const lost = new Set(edit.lost);
  const scenes = scenesOf(edit, find);
  if (scenes.length > maxScenes) throw invalid("tracks", `Must name at most ${maxScenes} files in the lowest track.`);
  const made = await createWork(ports.works, project, {
    ...(edit.name && { name: edit.name.slice(0, 200) }),
    ...(edit.canvas && { resolution: edit.canvas }),
  });
  const limit = { userId: project.userId, maxBytes: ports.settings.maxUserBytes };
  try {
    for (const [index, { found }] of scenes.entries()) {
      if (found?.type !== "video" && found?.type !== "image") continue;
      const { type, file, origin } = found;
      await putCopy(
        ports,
        { work: made, slot: `scene/${index}/${type}`, seen: undefined, ...(origin && { origin }) },
        file,
        limit,
      );
    }
    const music = musicOf(edit, find, lost);
    if (music) await putCopy(ports, { work: made, slot: "audio", seen: undefined }, music.found.file, limit);
    await yieldIfBusy();
    const sound = music && { audioUrl: ports.internalUrls.workMedia(made, "audio"), audioVolume: music.volume };
    const editorState = { ...editorStateOf(edit, scenes, find, lost), ...sound };
    if (!hasAtMostKibibytes(maxEditorStateKibibytes, editorState))
      throw invalid("tracks", `Must not become an editor state of more than ${sizeInWords(maxEditorStateKibibytes)}.`);
    const work = await changeWork(ports, { project, work: made }, { editorState }, undefined);
    return { work, lost: [...lost], missingMedia: missingIn(edit, find) };
  } catch (error) {
    await removeWork(ports, made, undefined);
    throw error;
  }
}

/** A file of the project: an asset, or one of a work. */
type Found = {
  readonly type: MediaFacts["kind"];
  readonly file: StoredFile;
  readonly assetId?: string;
  readonly origin?: MediaOrigin | undefined;
  readonly isVoice?: boolean;
};

type Finder = (media: NamedMedia) => Found | undefined;

/** The asset with the same bytes, else the file of a work that has them, else the only asset with the same name. */
async function findMedia({ assets, workMedia }: ImportWorkPorts, projectId: string, edit: ReadEdit): Promise<Finder> {
  const named = mediaIn(edit);
  const hashes = [...new Set(named.flatMap(({ sha256 }) => sha256 ?? []))];
  const names = [...new Set(named.map(({ name }) => name))];
  const alike = await assets.findAlike(projectId, { hashes, names });
  const ofWorks = await workMedia.findAlike(projectId, hashes);
  const known: readonly Found[] = [
    ...alike.map(({ id, type, file }) => ({ type, file, assetId: id })),
    ...ofWorks.map(({ slot, file, origin }) => ({
      type: file.facts.kind,
      file,
      origin,
      isVoice: slot.endsWith("voice"),
    })),
  ];
  const byName = Map.groupBy(alike, ({ name }) => name);
  const lookUp: Finder = ({ name, sha256 }) => {
    const same = sha256 === undefined ? undefined : known.find(({ file }) => file.sha256.startsWith(sha256));
    const [only, ...others] = byName.get(name) ?? [];
    return same ?? (only && others.length === 0 ? { ...only, assetId: only.id } : undefined);
  };
  // each file is looked up once, though an edit may show it in thousands of clips
  const looked = new Map<string, Found | undefined>();
  for (const media of named) {
    const key = mediaKey(media);
    if (looked.has(key)) continue;
    await yieldIfBusy();
    looked.set(key, lookUp(media));
  }
  return (media) => looked.get(mediaKey(media));
}

const mediaKey = ({ name, sha256 = "" }: NamedMedia): string => `${sha256} ${name}`;

const mediaIn = ({ clips, overlays, sounds }: ReadEdit): readonly NamedMedia[] =>
  [...clips, ...overlays, ...sounds].map(({ media }) => media);

const missingIn = (edit: ReadEdit, find: Finder): readonly string[] => [
  ...new Set(mediaIn(edit).flatMap((media) => (find(media) ? [] : [media.name]))),
];

type Scene = { readonly key: string; readonly found: Found | undefined };

const keyOf = ({ name, sha256 }: NamedMedia): string => sha256 ?? name;

/** A scene for each file of the lowest track. */
function scenesOf({ clips }: ReadEdit, find: Finder): readonly Scene[] {
  const byKey = new Map(clips.map(({ media }) => [keyOf(media), media]));
  return [...byKey].map(([key, media]) => ({ key, found: find(media) }));
}

/** A work has one piece of music, from its start on. */
function musicOf({ sounds }: ReadEdit, find: Finder, lost: Set<string>) {
  const heard = sounds.flatMap((sound) => {
    const found = find(sound.media);
    if (found?.isVoice) lost.add("Voices are left out: record or generate them again.");
    return found?.type === "audio" && !found.isVoice ? [{ ...sound, found }] : [];
  });
  const [first] = heard;
  if (!first) return undefined;
  if (first.start > 0 || first.mediaStart > 0) lost.add("The music begins with the film.");
  if (heard.length > 1) lost.add("Of several sounds, only the first is the music.");
  return { found: first.found, volume: first.volume ?? 1 };
}

function editorStateOf(edit: ReadEdit, scenes: readonly Scene[], find: Finder, lost: Set<string>): EditorStateDraft {
  const { rate, fps, clips, titles, overlays, canvas } = edit;
  const places = new Map(scenes.map(({ key }, index) => [key, index]));
  const placed = (id: string, { start, end }: Pick<ReadClip, "start" | "end">): TrackAction => ({
    ...{ id, start: toSeconds(start, rate), end: toSeconds(end, rate) },
  });
  const images = overlays.flatMap((clip) => {
    const { type, assetId } = find(clip.media) ?? {};
    if (type === "image" && assetId !== undefined) return [{ clip, assetId }];
    lost.add("Above the lowest track, only images that are assets of the project are shown.");
    return [];
  });
  return {
    editorData: {
      videoTrack: clips.map((clip, index) => ({
        ...placed(`clip-${index}`, clip),
        sceneIndex: places.get(keyOf(clip.media))!,
        ...paceOf(clip, rate),
        ...(clip.transition && {
          transitionType: clip.transition.type,
          transitionDuration: toSeconds(clip.transition.frames, rate),
        }),
      })),
      textTrack: titles.map((title, index) => placed(`otio-text-${index}`, title)),
      imageTrack: images.map(({ clip }, index) => placed(`otio-image-${index}`, clip)),
      audioTrack: [],
    },
    textOverlays: Object.fromEntries(titles.map((title, index) => [`otio-text-${index}`, overlayOf(title)])),
    imageOverlays: Object.fromEntries(images.map(({ assetId }, index) => [`otio-image-${index}`, { assetId }])),
    exportSettings: { ...canvas, fps },
  };
}

/** A reversed clip begins with the last frame of its part of the file. */
function paceOf({ start, end, mediaStart, speed = 1 }: ReadClip, rate: FrameRate) {
  const first = speed < 0 ? Math.max(0, mediaStart + speed * (end - start - 1)) : mediaStart;
  return {
    trimStart: toSeconds(first, rate),
    ...(Math.abs(speed) !== 1 && { speed: Math.abs(speed) }),
    ...(speed < 0 && { reverse: true }),
  };
}

const overlayOf = ({ text, look: { fontSize, color, isBold, x, y } }: ReadTitle) => ({
  text,
  ...(fontSize !== undefined && { fontSize }),
  ...(color && {
    fontColor: `#${color
      .map((level) =>
        Math.round(level * 255)
          .toString(16)
          .padStart(2, "0"),
      )
      .join("")}`,
  }),
  ...(isBold !== undefined && { fontWeight: isBold ? 700 : 400 }),
  centerX: x ?? 0,
  centerY: y ?? 0,
});
