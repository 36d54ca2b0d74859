import { sentencesOf } from "../../../platform/texts.ts";
import { sum } from "../../../platform/values.ts";
import type { ScenarioOutputScene } from "../output-schemas.ts";
import { separatorFor } from "./voice-text.ts";

/** Changes the number of scenes to `count`: merges neighbors if there are too many, else splits the longest. */
export const withSceneCount = (
  scenes: readonly ScenarioOutputScene[],
  count: number,
): readonly ScenarioOutputScene[] =>
  scenes.length > count ? mergeNeighbors(scenes, count) : splitLongest(scenes, count);

/** Each group keeps the image of its first scene; the last group that of its last scene, which is the ending. */
function mergeNeighbors(scenes: readonly ScenarioOutputScene[], count: number): readonly ScenarioOutputScene[] {
  const start = (group: number) => Math.floor((group * scenes.length) / count);
  return Array.from({ length: count }, (_, group) => {
    const members = scenes.slice(start(group), start(group + 1));
    const last = members.at(-1)!; // safe because there are fewer groups than scenes
    const main = group > 0 && group === count - 1 ? last : members[0]!;
    return {
      ...main,
      duration_seconds: sum(members.map(({ duration_seconds }) => duration_seconds)),
      text_overlay:
        main.text_overlay ?? members.find(({ text_overlay }) => text_overlay !== null)?.text_overlay ?? null,
      voice_text: joined(members.flatMap(({ voice_text }) => voice_text ?? [])),
      transition: last.transition,
    };
  });
}

const joined = (texts: readonly string[]): string | null =>
  texts.reduce<string | null>((all, text) => (all === null ? text : `${all}${separatorFor(all)}${text}`), null);

/** Added to the image prompt of a repeated scene, so that its image differs from the first one. */
export const alternateFramings = [
  "Seen closer: the most telling detail fills the frame.",
  "Seen from further away: the whole place around it.",
  "Seen from the side, at eye level.",
  "Seen from slightly above.",
  "Seen from a low angle.",
  "Seen over a shoulder, the foreground out of focus.",
];

function splitLongest(scenes: readonly ScenarioOutputScene[], count: number): readonly ScenarioOutputScene[] {
  const pieceCounts = scenes.map(() => 1);
  for (let missing = count - scenes.length; missing > 0; missing--) {
    const durations = scenes.map(({ duration_seconds }, index) => duration_seconds / pieceCounts[index]!);
    pieceCounts[durations.indexOf(Math.max(...durations))]!++;
  }
  return scenes.flatMap((scene, index) => {
    const pieceCount = pieceCounts[index]!;
    return Array.from({ length: pieceCount }, (_, piece) => pieceOf(scene, piece, pieceCount));
  });
}

/** All pieces show the scene's text and share its sentences; only the last piece has its transition. */
function pieceOf(scene: ScenarioOutputScene, piece: number, pieceCount: number): ScenarioOutputScene {
  const sentences = sentencesOf(scene.voice_text ?? "");
  const firstSentence = (at: number) => Math.ceil((at * sentences.length) / pieceCount);
  const framing = piece === 0 ? "" : alternateFramings[(piece - 1) % alternateFramings.length]!;
  return {
    ...scene,
    duration_seconds: scene.duration_seconds / pieceCount,
    image_prompt: `${scene.image_prompt} ${framing}`.trimEnd(),
    voice_text: joined(sentences.slice(firstSentence(piece), firstSentence(piece + 1))),
    transition: piece === pieceCount - 1 ? scene.transition : "cut",
  };
}
