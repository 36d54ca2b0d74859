import type { MediaFacts } from "../../engine/timeline/source.ts";
import type { InternalUrls } from "../files/internal-urls.ts";
import type { MediaSlot } from "../shared/media-slot.ts";
import { completeEditorState } from "./editor-state.ts";
import { type SceneFile, withScene, withSceneFile, withSceneVoice } from "./scene-state.ts";
import type { Work } from "./works.ts";

type SlotRules = {
  readonly kind: MediaFacts["kind"];
  /** Sets the URL of the slot's file in the work; undefined clears it. */
  readonly withUrl: (work: Work, url: string | undefined) => Work;
};

/** What differs between the slots of a work. */
export function slotRules(internalUrls: InternalUrls, slot: MediaSlot): SlotRules {
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
