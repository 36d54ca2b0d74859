import type { MediaFacts } from "../../timeline/source.ts";
import {
  type Arrival,
  type FileStore,
  type Inspector,
  keepFile,
  orRemove,
  type ReceivedFile,
} from "../files/file-store.ts";
import { requireFound } from "../shared/versioned.ts";
import { completeEditorState } from "./editor-state.ts";
import { type SceneFile, withScene, withSceneFile } from "./scene-state.ts";
import type { MediaSlot, Work, WorkMedia, WorkMediaStore } from "./works.ts";

type MediaPorts = { readonly workMedia: WorkMediaStore; readonly files: FileStore; readonly inspector: Inspector };

export const mediaUrl = ({ projectId, id }: Pick<Work, "projectId" | "id">, slot: MediaSlot): string =>
  `/api/projects/${projectId}/works/${id}/media/${slot}`;

export async function requireMedia(workMedia: WorkMediaStore, { id }: Work, slot: MediaSlot): Promise<WorkMedia> {
  return requireFound(await workMedia.find(id, slot));
}

/** Puts a received file into a slot of a work and tells the work its URL; the file it replaces goes last. */
export async function putMedia(
  { workMedia, files, inspector }: MediaPorts,
  work: Work,
  slot: MediaSlot,
  arrival: Arrival,
  mayReplace: (there: WorkMedia) => boolean = () => true,
): Promise<string> {
  const { id, projectId } = work;
  const { kind, tell } = slotRules(slot);
  const url = mediaUrl(work, slot);
  const file = await keepFile({ files, inspector }, projectId, arrival, kind);
  const media: WorkMedia = { slot, file, createdAt: Date.now() };
  const { replacedKey } = await orRemove(files, [file.key], () =>
    workMedia.put(projectId, id, media, (found, there) => {
      if (there && !mayReplace(there)) throw new SlotTaken();
      return touched(tell(found, url));
    }),
  );
  if (replacedKey !== undefined) await files.remove([replacedKey]);
  return url;
}

class SlotTaken extends Error {
  override readonly name = "SlotTaken";
}

/** The same for what took its time to make: what somebody else put into the slot since `seen` stays there. */
export async function putMediaUnlessTaken(
  ports: MediaPorts,
  work: Work,
  slot: MediaSlot,
  received: ReceivedFile,
  seen: WorkMedia | undefined,
): Promise<string> {
  const mayReplace = ({ file }: WorkMedia) => file.key === seen?.file.key;
  try {
    return await putMedia(ports, work, slot, { received, filename: "" }, mayReplace);
  } catch (error) {
    if (error instanceof SlotTaken) return mediaUrl(work, slot);
    throw error;
  }
}

export async function removeMedia(
  { workMedia, files }: Pick<MediaPorts, "workMedia" | "files">,
  work: Work,
  slot: MediaSlot,
): Promise<void> {
  const { tell } = slotRules(slot);
  const removed = await workMedia.remove(work.projectId, work.id, slot, (found) => touched(tell(found, undefined)));
  await files.remove([requireFound(removed).removedKey]);
}

const touched = (work: Work): Work => ({ ...work, updatedAt: Date.now() });

/** What a slot takes, and where the work shows its URL; undefined is the URL of an empty slot. */
type SlotRules = {
  readonly kind: MediaFacts["kind"];
  readonly tell: (work: Work, url: string | undefined) => Work;
};

function slotRules(slot: MediaSlot): SlotRules {
  if (slot === "reference") {
    return { kind: "video", tell: (work, url) => ({ ...work, hasReferenceVideo: url !== undefined }) };
  }
  if (slot === "audio") return { kind: "audio", tell: withAudio };

  const [, index, file] = slot.split("/") as [string, string, SceneFile]; // safe because the other slots are gone
  return {
    kind: file,
    tell: (work, url) => {
      const edit = (scene: Work["generatedScenes"][number]) => withSceneFile(scene, file, url);
      return { ...work, generatedScenes: withScene(work.generatedScenes, Number(index), edit) };
    },
  };
}

/** An audio URL that the editor took from elsewhere stays when the upload goes. */
function withAudio(work: Work, url: string | undefined): Work {
  const state = completeEditorState(work.editorState ?? {}, work.resolution);
  if (url !== undefined) return { ...work, editorState: { ...state, audioUrl: url } };

  const { audioUrl, ...silent } = state;
  return audioUrl !== undefined && pathOf(audioUrl) === mediaUrl(work, "audio")
    ? { ...work, editorState: silent }
    : work;
}

const pathOf = (url: string) => (URL.canParse(url, "http://here") ? new URL(url, "http://here").pathname : url);
