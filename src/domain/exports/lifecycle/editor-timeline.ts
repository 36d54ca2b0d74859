import { isMade, type StoredFile } from "../../../engine/ports.ts";
import type { Caller } from "../../accounts/caller.ts";
import { captionFile, pagesOn } from "../../captions/video.ts";
import { findInternalUrl } from "../../media-sources/internal-files.ts";
import type { AspectRatio } from "../../shared/schemas.ts";
import { requireFound } from "../../shared/versioned.ts";
import { type EditList, editListOf } from "../../timelines/edit-list.ts";
import { edlOf } from "../../timelines/edl.ts";
import { fcpxmlOf } from "../../timelines/fcpxml.ts";
import { otioOf } from "../../timelines/otio.ts";
import type { WorkStore } from "../../works/works.ts";
import { type CompleteRequest, type StoredRequestPorts, storedRequest } from "../request/fill-from-editor.ts";
import { laterFocus } from "../request/focus.ts";
import { layerFiles } from "../request/placement/files.ts";
import { buildTimeline, resolveLayout } from "../request/resolve.ts";

import { knownSources, type LookUpSoundsPorts, lookUpSounds } from "../request/sounds.ts";
import type { FindSourcesPorts } from "../request/sources.ts";
import { requireTarget, targetCanvas, targetTimeline } from "../request/targets.ts";
import { type ExportJob, requireDone } from "./jobs.ts";

export const timelineFormats = { otio: otioOf, fcpxml: fcpxmlOf, edl: edlOf } as const;
export type TimelineFormat = keyof typeof timelineFormats;

type EditorTimelinePorts = StoredRequestPorts &
  FindSourcesPorts &
  LookUpSoundsPorts & { readonly works: Pick<WorkStore, "find"> };

type EditorTimeline = {
  readonly list: EditList;
  /** The captions as SubRip, if the film has any. */
  readonly srt?: string;
  /** The files of the list, in order. */
  readonly files: readonly { readonly path: string; readonly key: string; readonly sizeBytes: number }[];
};

/** Throws not_ready before the export is done, not_found without its work, and the errors of missing files. */
export async function editorTimeline(
  ports: EditorTimelinePorts,
  caller: Caller,
  job: ExportJob,
  named: AspectRatio | undefined,
): Promise<EditorTimeline> {
  requireDone(job);
  const work = requireFound(await ports.works.find(job.projectId, job.workId));
  const request = await storedRequest(ports, job, work);
  const target = requireTarget(request, named);
  const layout = await resolveLayout({ ...ports, focusFinder: laterFocus }, work, request, { owner: job.userId });
  const sounds = await lookUpSounds(ports, caller, work, request);
  const full = { ...request, options: { ...request.options, quality: "standard" as const } };
  const { timeline } = buildTimeline(full, layout, knownSources(sounds));
  const canvas = targetCanvas(target, timeline.canvas);
  const scenes = layout.clips.map((clip, index) => ({ clip, sceneIndex: request.clips[index]!.sceneIndex }));
  const list = editListOf({ name: job.name, timeline: targetTimeline(target, timeline), scenes });
  const isElsewhere = [sounds.music, sounds.voice, ...sounds.added].some((sound) => sound && "externalUrl" in sound);
  const notes = [
    ...list.lost,
    ...(isElsewhere ? ["Sounds from other servers are not part of it."] : []),
    ...(hasChanged(job, list) ? ["Some files were replaced after the export: it shows the earlier ones."] : []),
  ];
  const { captions } = job;
  return {
    list: { ...list, lost: notes },
    ...(captions && { srt: captionFile("srt", pagesOn(canvas, captions), captions) }),
    files: await storedFiles(ports, { caller, request, workId: work.id }, list),
  };
}

const hasChanged = ({ production }: ExportJob, { media }: EditList): boolean => {
  const exported = new Set(Object.values(production?.inputs ?? {}));
  return production !== undefined && media.some(({ source }) => !exported.has(source.hash));
};

type Request = { readonly caller: Caller; readonly request: CompleteRequest; readonly workId: string };

async function storedFiles(
  ports: EditorTimelinePorts,
  { caller, request, workId }: Request,
  { media }: EditList,
): Promise<EditorTimeline["files"]> {
  const { images = [], layers = [], audio, voice, sounds = [], projectId } = request;
  const ofLayers = layerFiles(layers);
  const named = [
    ...[audio, voice, ...sounds].map((sound) => sound?.audioUrl),
    ...ofLayers.map((file) => (file.kind === "videoByUrl" ? file.url : undefined)),
  ];
  const urls = new Set(named.flatMap((url) => (url && !url.startsWith("blob:") ? [url] : [])));
  const assetIds = new Set([
    ...[...images, ...sounds].flatMap(({ assetId }) => assetId || []),
    ...ofLayers.flatMap((file) => ("assetId" in file ? file.assetId : [])),
  ]);
  const found = await Promise.all([
    ports.workMedia.list(workId).then((list) => list.map(({ file }) => file)),
    ports.assets.findMany(projectId, [...assetIds]).then((list) => list.map(({ file }) => file)),
    ...[...urls].map(async (url) => (await findInternalUrl(ports, caller, url))?.file ?? []),
  ]);
  const byKey = new Map(found.flat().map((file: StoredFile) => [file.key, file]));
  return media.flatMap(({ path, source }) => {
    const file = byKey.get(source.file);
    if (isMade(source)) return { path, key: source.file, sizeBytes: source.sizeBytes ?? 0 };
    return file ? [{ path, key: file.key, sizeBytes: file.sizeBytes }] : [];
  });
}
