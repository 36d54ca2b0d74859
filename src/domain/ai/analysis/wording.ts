import type { SceneMetrics, Tempo, VideoMetrics } from "../../../engine/ports.ts";
import { upperFirst } from "../../../platform/field-sentences.ts";
import { sum } from "../../../platform/values.ts";
import { colorNames, joinWithAnd } from "../../language/color-names.ts";
import { roundToHundredths } from "../durations.ts";

const brightnessWords = (brightness: number): string => {
  if (brightness < 0.15) return "very dark";
  if (brightness < 0.35) return "dark";
  if (brightness < 0.6) return "evenly lit";
  return brightness < 0.8 ? "bright" : "very bright";
};

const motionWords = (motion: number): string => {
  if (motion < 0.02) return "hardly anything moves";
  if (motion < 0.15) return "there is gentle movement";
  return motion < 0.4 ? "there is steady movement" : "there is strong, fast movement";
};

const colorWords = (palette: readonly string[]): string => {
  const names = colorNames(palette).slice(0, 3);
  return names.length > 0 ? `, mostly ${joinWithAnd(names)}` : "";
};

export const sceneWording = (scene: SceneMetrics): string => {
  const seconds = roundToHundredths(scene.endSeconds - scene.startSeconds);
  return `${upperFirst(brightnessWords(scene.brightness))} picture${colorWords(scene.palette)}; ${motionWords(scene.motion)} for ${seconds} s.`;
};

export const imageWording = ({ brightness, palette }: Pick<SceneMetrics, "brightness" | "palette">): string =>
  `${upperFirst(brightnessWords(brightness))} picture${colorWords(palette)}.`;

const tempoWords: Record<Tempo, string> = { fast: "fast-paced", medium: "steady", slow: "calm" };

export function toneWording({ scenes, tempo, palette, motion }: VideoMetrics): string {
  const brightness = weightedMean(scenes, ({ brightness }) => brightness);
  const movement = motion < 0.15 ? "little movement" : motion < 0.4 ? "some movement" : "much movement";
  return `${upperFirst(tempoWords[tempo])} and ${brightnessWords(brightness)}, with ${movement}${colorWords(palette)}`;
}

/** A mean over scenes, weighted by their durations. */
export function weightedMean(scenes: readonly SceneMetrics[], read: (scene: SceneMetrics) => number): number {
  const durations = scenes.map(({ startSeconds, endSeconds }) => Math.max(endSeconds - startSeconds, 1e-3));
  const total = sum(durations);
  return sum(scenes.map((scene, index) => (read(scene) * durations[index]!) / total));
}
