import type { MediaFacts } from "../../timeline/source.ts";
import {
  type FileStore,
  type Inspector,
  type NamedFile,
  type ReceivedFile,
  removeOnFailure,
  type StoredFile,
  storeFile,
} from "../files/file-store.ts";
import type { InternalUrls } from "../files/internal-urls.ts";
import type { MediaSlot } from "../shared/media-slot.ts";
import { requireFound } from "../shared/versioned.ts";
import { completeEditorState } from "./editor-state.ts";
import { type SceneFile, withScene, withSceneFile } from "./scene-state.ts";
import type { Work } from "./works.ts";

export type WorkMedia = { readonly slot: MediaSlot; readonly file: StoredFile; readonly createdAt: number };

export type WorkMediaStore = {
  list(workId: string): Promise<readonly WorkMedia[]>;
  find(workId: string, slot: MediaSlot): Promise<WorkMedia | undefined>;
  /**
   * Puts a file into a slot and runs `edit` on its work, in one transaction. `edit` gets the slot's previous content.
   * If it throws, nothing changes. Returns the edited work and the key of the previous file, or undefined if the work
   * does not exist any more.
   */
  put(
    projectId: string,
    workId: string,
    media: WorkMedia,
    edit: (work: Work, replaced: WorkMedia | undefined) => Work,
  ): Promise<{ readonly work: Work; readonly replacedKey?: string } | undefined>;
  /** Empties a slot in the same way. Returns undefined if the slot was empty or the work does not exist any more. */
  remove(
    projectId: string,
    workId: string,
    slot: MediaSlot,
    edit: (work: Work) => Work,
  ): Promise<{ readonly work: Work; readonly removedKey: string } | undefined>;
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

/**
 * Stores a received file in a slot of a work, sets its URL in the work and returns that URL.
 * Removes the replaced file last. Throws SlotChangedError if `mayReplace` returns false for the slot's current file.
 */
export async function putMedia(
  { workMedia, files, inspector, internalUrls }: WorkMediaPorts,
  work: Work,
  slot: MediaSlot,
  namedFile: NamedFile,
  mayReplace: (current: WorkMedia) => boolean = () => true,
): Promise<string> {
  const { id, projectId } = work;
  const { kind, withUrl } = slotRules(internalUrls, slot);
  const url = internalUrls.workMedia(work, slot);
  const file = await storeFile({ files, inspector }, projectId, namedFile, kind);
  const media: WorkMedia = { slot, file, createdAt: Date.now() };
  const { replacedKey } = await removeOnFailure(files, [file.key], () =>
    workMedia.put(projectId, id, media, (found, current) => {
      if (current && !mayReplace(current)) throw new SlotChangedError();
      return withUpdatedAt(withUrl(found, url));
    }),
  );
  if (replacedKey !== undefined) await files.remove([replacedKey]);
  return url;
}

class SlotChangedError extends Error {
  override readonly name = "SlotChangedError";
}

/**
 * Stores a generated file unless the slot has changed since the generation started: then the newer file stays.
 * `seen` is the slot's content at the start of the generation.
 */
export async function putMediaUnlessChanged(
  ports: WorkMediaPorts,
  work: Work,
  slot: MediaSlot,
  received: ReceivedFile,
  seen: WorkMedia | undefined,
): Promise<string> {
  const mayReplace = ({ file }: WorkMedia) => file.key === seen?.file.key;
  try {
    return await putMedia(ports, work, slot, { received, filename: "" }, mayReplace);
  } catch (error) {
    if (error instanceof SlotChangedError) return ports.internalUrls.workMedia(work, slot);
    throw error;
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
  /** The media kind that the slot accepts. */
  readonly kind: MediaFacts["kind"];
  /** Sets the URL of the slot's file in the work; undefined clears it. */
  readonly withUrl: (work: Work, url: string | undefined) => Work;
};

function slotRules(internalUrls: InternalUrls, slot: MediaSlot): SlotRules {
  if (slot === "reference") {
    return { kind: "video", withUrl: (work, url) => ({ ...work, hasReferenceVideo: url !== undefined }) };
  }
  if (slot === "audio") {
    return { kind: "audio", withUrl: (work, url) => withAudioUrl(work, url, internalUrls.workMedia(work, slot)) };
  }
  const [, index, file] = slot.split("/") as [string, string, SceneFile]; // safe because only scene slots are left
  return {
    kind: file,
    withUrl: (work, url) => {
      const edit = (scene: Work["generatedScenes"][number]) => withSceneFile(scene, file, url);
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
