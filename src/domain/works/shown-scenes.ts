import { z } from "zod";
import { sha256Of } from "../../platform/values.ts";
import type { EditorState } from "./editor-state.ts";
import type { ScenarioScene, Work } from "./works.ts";

/** The lengths and words of the scenes when the editor was saved. Views omit it. */
const ShownScenes = z.array(z.object({ seconds: z.number(), words: z.string() }));
type ShownScenes = z.output<typeof ShownScenes>;

const shownOf = (scenes: readonly ScenarioScene[]): ShownScenes =>
  scenes.map(({ duration_seconds: seconds, text_overlay = "", voice_text = "" }) => ({
    seconds,
    words: sha256Of(JSON.stringify([text_overlay, voice_text])).slice(0, 12),
  }));

/** Marks a state as made for these scenes. */
export const showing = (state: EditorState, scenes: readonly ScenarioScene[]): EditorState => ({
  ...state,
  shownScenes: shownOf(scenes),
});

/** Marks a state as made for scenes with these lengths, and keeps its words. */
export function withLengths(state: EditorState, scenes: readonly ScenarioScene[]): EditorState {
  const known = ShownScenes.safeParse(state.shownScenes).data;
  if (!known) return state;
  const shownScenes = known.map((one, at) => ({ ...one, seconds: scenes[at]?.duration_seconds ?? one.seconds }));
  return { ...state, shownScenes };
}

/** The differences, in words, between the scenes and those that the saved editor was made for; empty without any. */
export function changedScenes({ scenes, editorState }: Pick<Work, "scenes" | "editorState">): readonly string[] {
  const before = ShownScenes.safeParse(editorState?.shownScenes).data ?? [];
  if (!editorState || before.length === 0) return [];
  const after = shownOf(scenes);
  const added = after.length - before.length;
  if (added !== 0) return [`${Math.abs(added)} ${added > 0 ? "added" : "removed"}`];
  const numbers = (differs: (one: ShownScenes[number], other: ShownScenes[number]) => boolean) =>
    before.flatMap((one, at) => (differs(one, after[at]!) ? [at] : [])); // safe because there are as many
  const ofOtherLength = numbers((one, other) => one.seconds !== other.seconds);
  // captions and voices follow automatically
  const hasTexts = editorState.editorData.textTrack.length > 0;
  const reworded = hasTexts ? numbers((one, other) => one.words !== other.words) : [];
  return [
    ...(ofOtherLength.length > 0 ? [`another length: ${ofOtherLength.join(", ")}`] : []),
    ...(reworded.length > 0 ? [`other words: ${reworded.join(", ")}`] : []),
  ];
}
