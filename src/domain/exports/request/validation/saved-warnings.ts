import { changedScenes } from "../../../works/shown-scenes.ts";
import type { Work } from "../../../works/works.ts";
import type { ExportRequest } from "../schema.ts";
import type { Warning } from "../warnings.ts";
import { duplicateIds } from "./duplicate-ids.ts";

/** Warnings about the saved editor, as far as a request takes it. */
export const savedWarnings = (request: ExportRequest, work: Work): readonly Warning[] => [
  ...duplicateIds(request, work),
  ...(request.clips ? [] : sceneWarnings(work)),
];

function sceneWarnings(work: Work): readonly Warning[] {
  const changes = changedScenes(work);
  if (changes.length === 0 || work.editorState?.editorData.videoTrack.length === 0) return [];
  const message = `The saved clips and texts are those of earlier scenes (by their places from 0: ${changes.join("; ")}). Change them in the editor, or save it without a video track to show the scenes as they are.`;
  return [{ path: "clips", code: "scenes_changed", message }];
}
