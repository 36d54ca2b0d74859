import type { StoredFile } from "../../engine/ports.ts";
import { invalid } from "../../errors.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import { hasAtMostKibibytes, sizeInWords } from "../shared/json.ts";
import { importWork } from "../timelines/import-work.ts";
import { parseOtio } from "../timelines/read-otio.ts";
import { type EditorStateDraft, maxEditorStateKibibytes, type TrackAction } from "../works/editor-state.ts";
import { putCopy, type WorkMediaPorts } from "../works/media.ts";
import { changeWork, createWork } from "../works/save.ts";
import { removeWork, type Work, type WorkStore } from "../works/works.ts";
import { creatomate } from "./creatomate/read.ts";
import { editly } from "./editly/read.ts";
import { type FinishedEdit, finishEdit } from "./finish.ts";
import { type FetchedFiles, type FetchMediaPorts, fetchMedia, type Importer, mediaReader } from "./media.ts";
import type { EditService } from "./reading/draft.ts";
import { type ImportReport, Property } from "./reading/property.ts";
import { shotstack } from "./shotstack/read.ts";

export const editTypes = ["shotstack", "creatomate", "editly", "otio"] as const;
export type EditType = (typeof editTypes)[number];

const services: Readonly<Record<Exclude<EditType, "otio">, EditService>> = { shotstack, creatomate, editly };

export type ImportEditPorts = FetchMediaPorts &
  WorkMediaPorts & {
    readonly works: WorkStore & FetchMediaPorts["works"];
    readonly workMedia: WorkMediaPorts["workMedia"];
  };

type ImportedEdit = {
  readonly work: Work;
  readonly report: ImportReport;
  /** The addresses of files that could not be had. */
  readonly missingMedia: readonly string[];
};

const maxFiles = 200;

type Fields = { readonly [name: string]: unknown };

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The service whose edit this is, by its shape. Throws validation_error for an unknown one. */
export function typeOfEdit(body: unknown): EditType {
  const of = (name: string): unknown => (isFields(body) ? body[name] : undefined);
  if (of("OTIO_SCHEMA") !== undefined) return "otio";
  if (isFields(of("timeline")) || isFields(of("template"))) return "shotstack";
  if (Array.isArray(of("clips"))) return "editly";
  const source = of("source");
  if (Array.isArray(of("elements")) || isFields(source)) return "creatomate";
  throw invalid(
    "",
    "Must be an edit of Shotstack (timeline), Creatomate (elements), editly (clips) or OpenTimelineIO.",
  );
}

/** The addresses of files that an edit names: an import waits for them. Throws validation_error. */
export function mediaOfEdit(body: unknown, type: EditType): readonly string[] {
  if (type === "otio") return [];
  return [...readWith(body, services[type]).media.wanted.keys()];
}

/**
 * What an edit asks for and a film cannot have, as far as its files do not decide it. Throws validation_error for an
 * edit that is no film.
 */
export function ignoredOfEdit(body: unknown, type: EditType): ImportReport["ignored"] {
  if (type === "otio") return [];
  const { root, read } = readWith(body, services[type]);
  finishEdit(read);
  return root.report(body).ignored;
}

function readWith(body: unknown, service: EditService, fetched?: FetchedFiles) {
  if (!isFields(body)) throw invalid("", "Must be an object.");
  const { edit, values } = service.prepare(body);
  const media = mediaReader(values, fetched);
  const root = new Property(edit, "", values);
  const read = service.read(root, media, values);
  return { root, media, read };
}

type EditOrder = {
  readonly body: unknown;
  readonly type: EditType;
  /** The id of the work, which replaces what an attempt that did not end has left. */
  readonly workId?: string;
};

/** Makes a work of an edit of another service, with its files as assets of the project. Throws validation_error. */
export async function importEdit(
  ports: ImportEditPorts,
  importer: Importer,
  { body, type, workId }: EditOrder,
  options: Required<TaskOptions>,
): Promise<ImportedEdit> {
  if (type === "otio") return await importTimeline(ports, importer, body);
  const service = services[type];
  const { media } = readWith(body, service);
  if (media.wanted.size > maxFiles) throw invalid("", `Must name at most ${maxFiles} files.`);
  const fetched = await fetchMedia(ports, importer, media.wanted, options);
  const known = readWith(body, service, fetched);
  const finished = finishEdit(known.read);
  const values = Object.fromEntries([...known.read.values, ...known.media.assetValues]);
  const work = await makeWork(ports, importer, { finished, fetched, name: known.read.name, values, workId });
  const missingMedia = [...fetched].flatMap(([url, found]) => ("failure" in found ? [url.slice(0, 2000)] : []));
  return { work, report: known.root.report(body), missingMedia };
}

async function importTimeline(ports: ImportEditPorts, { project }: Importer, body: unknown): Promise<ImportedEdit> {
  const { work, lost, missingMedia } = await importWork(ports, project, await parseOtio(body));
  return { work, missingMedia, report: { used: [], changed: [], ignored: lost.map((why) => ({ path: "", why })) } };
}

type NewWork = {
  readonly finished: FinishedEdit;
  readonly fetched: FetchedFiles;
  readonly name: string | undefined;
  readonly values: Readonly<Record<string, string>>;
  readonly workId: string | undefined;
};

async function makeWork(
  ports: ImportEditPorts,
  { project }: Importer,
  { finished, fetched, name, values, workId }: NewWork,
): Promise<Work> {
  const { clips, layers, sounds, options } = finished;
  const { width = 1080, height = 1920, fps, ...settings } = options;
  const sceneOf = new Map([...new Set(clips.map(({ assetId }) => assetId))].map((id, index) => [id, index]));
  const editorState: EditorStateDraft = {
    editorData: {
      videoTrack: clips.map(
        ({ assetId, position, cutFrom, transition, transitionDuration, ...clip }, index): TrackAction => ({
          ...{ id: `clip-${index}`, start: position, sceneIndex: sceneOf.get(assetId)!, ...clip },
          ...(cutFrom ? { trimStart: cutFrom } : {}),
          ...(transition && transitionDuration ? { transitionType: transition, transitionDuration } : {}),
        }),
      ),
    },
    layers: [...layers],
    ...(sounds.length > 0 && { sounds: [...sounds] }),
    exportSettings: { width, height, ...(fps !== undefined && { fps }), ...settings },
    ...(Object.keys(values).length > 0 && { placeholderValues: values }),
  };
  if (!hasAtMostKibibytes(maxEditorStateKibibytes, editorState))
    throw invalid("", `Must not become an editor state of more than ${sizeInWords(maxEditorStateKibibytes)}.`);
  const left = workId === undefined ? undefined : await ports.works.find(project.id, workId);
  if (left) await removeWork(ports, left, undefined);
  const fields = { ...(name && { name: name.slice(0, 200) }), resolution: { width, height } };
  const made = await createWork(ports.works, project, fields, workId);
  const limit = { userId: project.userId, maxBytes: ports.settings.maxUserBytes };
  const files = new Map<string, StoredFile>(
    [...fetched.values()].flatMap((found) => ("asset" in found ? [[found.asset.id, found.asset.file] as const] : [])),
  );
  try {
    for (const [assetId, index] of sceneOf) {
      const file = files.get(assetId)!;
      const kind = file.facts.kind === "image" ? "image" : "video";
      await putCopy(ports, { work: made, slot: `scene/${index}/${kind}`, seen: undefined }, file, limit);
    }
    return await changeWork(ports, { project, work: made }, { editorState }, undefined);
  } catch (error) {
    await removeWork(ports, made, undefined);
    throw error;
  }
}
