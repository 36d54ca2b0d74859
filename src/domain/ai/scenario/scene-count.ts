import type { DraftedScene } from "./normalize.ts";

/** Makes as many scenes as wanted of those that are there: joins neighbors where there are too many, else splits the longest. */
export const withSceneCount = (scenes: readonly DraftedScene[], wanted: number): readonly DraftedScene[] =>
  scenes.length > wanted ? joined(scenes, wanted) : split(scenes, wanted);

/** Of each group of neighbors one picture stays, for the time of all: of the last group its end, else its beginning. */
function joined(scenes: readonly DraftedScene[], wanted: number): readonly DraftedScene[] {
  const start = (group: number) => Math.floor((group * scenes.length) / wanted);
  return Array.from({ length: wanted }, (_, group) => {
    const members = scenes.slice(start(group), start(group + 1));
    const last = members.at(-1)!; // safe because there are fewer groups than scenes
    const kept = group > 0 && group === wanted - 1 ? last : members[0]!;
    return {
      ...kept,
      duration_seconds: members.reduce((sum, { duration_seconds }) => sum + duration_seconds, 0),
      text_overlay:
        kept.text_overlay ?? members.find(({ text_overlay }) => text_overlay !== null)?.text_overlay ?? null,
      transition: last.transition,
    };
  });
}

/** For what is shown once more: each picture is one of its own. */
export const otherFramings = [
  "Seen closer: the most telling detail fills the frame.",
  "Seen from further away: the whole place around it.",
  "Seen from the side, at eye level.",
  "Seen from slightly above.",
  "Seen from a low angle.",
  "Seen over a shoulder, the foreground out of focus.",
];

type Part = { readonly scene: DraftedScene; readonly origin: number };

function split(scenes: readonly DraftedScene[], wanted: number): readonly DraftedScene[] {
  const counts = scenes.map(() => 1);
  for (let left = wanted - scenes.length; left > 0; left--) {
    const lengths = scenes.map(({ duration_seconds }, index) => duration_seconds / counts[index]!);
    counts[lengths.indexOf(Math.max(...lengths))]!++;
  }
  const halves = scenes.flatMap((scene, origin) =>
    Array.from({ length: counts[origin]! }, (): Part => ({ scene, origin })),
  );
  return halves.map(({ scene, origin }, index) => {
    const part = halves.slice(0, index).filter((other) => other.origin === origin).length;
    return partOf(scene, part, counts[origin]!);
  });
}

/** A text holds over all parts; only the last one goes over to the next scene. */
function partOf(scene: DraftedScene, part: number, count: number): DraftedScene {
  const framing = part === 0 ? "" : otherFramings[(part - 1) % otherFramings.length]!;
  return {
    ...scene,
    duration_seconds: scene.duration_seconds / count,
    image_prompt: `${scene.image_prompt} ${framing}`.trimEnd(),
    transition: part === count - 1 ? scene.transition : "cut",
  };
}
