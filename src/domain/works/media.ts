import type { FileStore, Inspector, ReceivedFile, StoredFile } from "../../engine/ports.ts";
import type { MediaFacts } from "../../engine/timeline/source.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import { type KnownOrigin, linkFile, type NamedFile, removeOnFailure, storeFile } from "../files/file-store.ts";
import type { InternalUrls, MediaSlot } from "../files/internal-urls.ts";
import type { StorageLimit } from "../files/storage.ts";
import type { Settings } from "../shared/settings.ts";
import { requireFound } from "../shared/versioned.ts";
import type { Speech } from "../speech/speech.ts";
import { completeEditorState } from "./editor-state.ts";
import { type SceneFile, withScene, withSceneFile, withSceneVoice } from "./scene-state.ts";
import type { Work } from "./works.ts";

/** The inputs of a scene's file. */
export type MediaOrigin = {
  /** A hash of all inputs except the model: prompts, style, resolution, the asset or the image. */
  readonly inputHash: string;
  /** Absent for a copy of an asset. */
  readonly model?: { readonly provider: string; readonly model: string };
  /** The reason why an asset is shown whole, on a ground, without filling the frame. */
  readonly contained?: "crop" | "transparency";
};

export type WorkMedia = {
  readonly slot: MediaSlot;
  readonly file: StoredFile;
  readonly createdAt: number;
  /** Only for a file generated from the work's scene; absent for an upload. */
  readonly origin?: MediaOrigin;
  /** The words of a generated voice; absent for a recording. */
  readonly speech?: Speech;
};

export type WorkMediaStore = {
  list(workId: string): Promise<readonly WorkMedia[]>;
  find(workId: string, slot: MediaSlot): Promise<WorkMedia | undefined>;
  /** Files of the project's works with one of these hashes, or first 12 digits of them; at most 1,000. */
  findAlike(projectId: string, hashes: readonly string[]): Promise<readonly WorkMedia[]>;
  /**
   * Puts a file into a slot and runs `edit` on its work, in one transaction. `check` receives the slot's previous
   * content. If one of them throws, nothing changes. Returns the key of the previous file; undefined if the work was
   * removed. Throws limit_reached if the file does not fit into the limit in place of the previous one.
   */
  put(
    projectId: string,
    workId: string,
    media: WorkMedia,
    edit: (work: Work) => Work,
    options?: { readonly limit?: StorageLimit | undefined; readonly check?: (replaced: WorkMedia) => void },
  ): Promise<{ readonly replacedKey?: string } | undefined>;
  /** Empties a slot in one transaction with `edit`. Undefined if the slot was empty or the work was removed. */
  remove(
    projectId: string,
    workId: string,
    slot: MediaSlot,
    edit: (work: Work) => Work,
  ): Promise<{ readonly work: Work; readonly removedKey: string } | undefined>;
  /**
   * Runs `edit` with the work's media, in one transaction, so that no upload gets lost. Undefined without the work. A
   * person's save keeps versions.
   */
  changeWork(
    projectId: string,
    workId: string,
    edit: (work: Work, media: readonly WorkMedia[]) => Work,
    options?: { readonly keepsVersions?: boolean },
  ): Promise<Work | undefined>;
};

export type WorkMediaPorts = {
  readonly workMedia: WorkMediaStore;
  readonly files: FileStore;
  readonly inspector: Inspector;
  readonly internalUrls: InternalUrls;
};

export async function requireMedia(workMedia: WorkMediaStore, { id }: Work, slot: MediaSlot): Promise<WorkMedia> {
  return requireFound(await workMedia.find(id, slot));
}

/** Stores an uploaded file in a slot of a work, sets its URL in the work and returns that URL. Throws limit_reached. */
export async function putMedia(
  ports: WorkMediaPorts & { readonly settings: Pick<Settings, "maxUserBytes"> },
  work: Work,
  slot: MediaSlot,
  namedFile: NamedFile,
  options: TaskOptions,
): Promise<string> {
  const { kind } = slotRules(ports.internalUrls, slot);
  const file = await storeFile(ports, work.projectId, namedFile, { ...options, requiredKind: kind });
  const limit = { userId: options.owner, maxBytes: ports.settings.maxUserBytes };
  return (await fillSlot(ports, work, { slot, file }, { limit })).url;
}

/** The slot that a generation fills. */
export type GenerationTarget = KnownOrigin & {
  readonly work: Work;
  readonly slot: MediaSlot;
  /** The slot's content at the start of the generation. */
  readonly seen: WorkMedia | undefined;
  readonly origin?: MediaOrigin;
  /** The words of the file, if it is a voice. */
  readonly speech?: Speech;
};

type FilledSlot = { readonly url: string; readonly media: WorkMedia };

/** Stores a generated file unless the slot has changed since the generation started: then the newer file stays. */
export async function putGenerated(
  ports: WorkMediaPorts,
  target: GenerationTarget,
  received: ReceivedFile,
  owner: string,
): Promise<FilledSlot> {
  const { kind } = slotRules(ports.internalUrls, target.slot);
  const generatedBy = target.generatedBy ?? target.origin?.model;
  const known = { ...(generatedBy && { generatedBy }), ...(target.manifest && { manifest: target.manifest }) };
  const named = { received, filename: "", ...known };
  const file = await storeFile(ports, target.work.projectId, named, { owner, requiredKind: kind });
  return fillUnlessChanged(ports, target, file);
}

/** Stores a copy of a stored file of the slot's kind, unless the slot has changed. */
export const putCopy = async (
  ports: WorkMediaPorts,
  target: GenerationTarget,
  original: StoredFile,
  limit?: StorageLimit,
): Promise<FilledSlot> =>
  fillUnlessChanged(ports, target, await linkFile(ports, target.work.projectId, original), limit);

async function fillUnlessChanged(
  ports: WorkMediaPorts,
  { work, slot, seen, origin, speech }: GenerationTarget,
  file: StoredFile,
  limit?: StorageLimit,
): Promise<FilledSlot> {
  const mayReplace = (current: WorkMedia) => current.file.key === seen?.file.key;
  try {
    return await fillSlot(
      ports,
      work,
      { slot, file, ...(origin && { origin }), ...(speech && { speech }) },
      { mayReplace, ...(limit && { limit }) },
    );
  } catch (error) {
    if (error instanceof SlotChangedError) return { url: ports.internalUrls.workMedia(work, slot), media: error.media };
    throw error;
  }
}

type FillOptions = {
  readonly mayReplace?: (current: WorkMedia) => boolean;
  readonly limit?: StorageLimit;
};

/** Removes the replaced file last. Throws SlotChangedError if `mayReplace` returns false for it. */
async function fillSlot(
  ports: WorkMediaPorts,
  work: Work,
  media: Omit<WorkMedia, "createdAt">,
  { mayReplace = () => true, limit }: FillOptions,
): Promise<FilledSlot> {
  const { workMedia, files, internalUrls } = ports;
  const { withUrl } = slotRules(internalUrls, media.slot);
  const url = internalUrls.workMedia(work, media.slot);
  const filled = { ...media, createdAt: Date.now() };
  const edit = (found: Work) => withUpdatedAt(withUrl(found, url));
  const check = (current: WorkMedia) => {
    if (!mayReplace(current)) throw new SlotChangedError(current);
  };
  const { replacedKey } = await removeOnFailure(files, [media.file.key], () =>
    workMedia.put(work.projectId, work.id, filled, edit, { limit, check }),
  );
  if (replacedKey !== undefined) await files.remove([replacedKey]);
  return { url, media: filled };
}

class SlotChangedError extends Error {
  override readonly name = "SlotChangedError";

  constructor(readonly media: WorkMedia) {
    super();
  }
}

export async function removeMedia(
  { workMedia, files, internalUrls }: Omit<WorkMediaPorts, "inspector">,
  work: Work,
  slot: MediaSlot,
): Promise<void> {
  const { withUrl } = slotRules(internalUrls, slot);
  const removed = await workMedia.remove(work.projectId, work.id, slot, (found) =>
    withUpdatedAt(withUrl(found, undefined)),
  );
  await files.remove([requireFound(removed).removedKey]);
}

const withUpdatedAt = (work: Work): Work => ({ ...work, updatedAt: Date.now() });

type SlotRules = {
  readonly kind: MediaFacts["kind"];
  /** Sets the URL of the slot's file in the work; undefined clears it. */
  readonly withUrl: (work: Work, url: string | undefined) => Work;
};

/** The differences between the slots of a work. */
function slotRules(internalUrls: InternalUrls, slot: MediaSlot): SlotRules {
  if (slot === "reference") {
    return { kind: "video", withUrl: (work, url) => ({ ...work, hasReferenceVideo: url !== undefined }) };
  }
  if (slot === "audio") {
    return { kind: "audio", withUrl: (work, url) => withAudioUrl(work, url, internalUrls.workMedia(work, slot)) };
  }
  if (slot === "voice") return { kind: "audio", withUrl: (work) => work };
  const [, index, file] = slot.split("/") as [string, string, SceneFile | "voice"]; // safe because only scene slots are left
  return {
    kind: file === "voice" ? "audio" : file,
    withUrl: (work, url) => {
      const edit = (scene: Work["generatedScenes"][number]) =>
        file === "voice" ? withSceneVoice(scene, url) : withSceneFile(scene, file, url);
      return { ...work, generatedScenes: withScene(work.generatedScenes, Number(index), edit) };
    },
  };
}

/** Sets the editor's audio URL. Clearing removes the URL of the uploaded audio only; any other audio URL stays. */
function withAudioUrl(work: Work, url: string | undefined, uploadUrl: string): Work {
  const state = completeEditorState(work.editorState ?? {}, work.resolution);
  if (url !== undefined) return { ...work, editorState: { ...state, audioUrl: url } };

  const { audioUrl, ...withoutAudio } = state;
  return audioUrl !== undefined && pathOf(audioUrl) === uploadUrl ? { ...work, editorState: withoutAudio } : work;
}

const relativeBase = "http://localhost";

const pathOf = (url: string) => (URL.canParse(url, relativeBase) ? new URL(url, relativeBase).pathname : url);
