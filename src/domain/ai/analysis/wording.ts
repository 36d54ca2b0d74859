import { colorNames, inOneBreath } from "../../shared/color-names.ts";
import { inHundredths } from "../scenario/durations.ts";
import type { SceneMetrics, Tempo, VideoMetrics } from "../video-metrics.ts";

type Look = Pick<SceneMetrics, "palette" | "motion" | "brightness">;

const light = (brightness: number): string => {
  if (brightness < 0.15) return "very dark";
  if (brightness < 0.35) return "dark";
  if (brightness < 0.6) return "evenly lit";
  return brightness < 0.8 ? "bright" : "very bright";
};

const movement = (motion: number): string => {
  if (motion < 0.02) return "hardly anything moves";
  if (motion < 0.15) return "there is gentle movement";
  return motion < 0.4 ? "there is steady movement" : "there is strong, fast movement";
};

const colored = (palette: readonly string[]): string => {
  const names = colorNames(palette).slice(0, 3);
  return names.length > 0 ? `, mostly ${inOneBreath(names)}` : "";
};

/** What can be said of a scene that nobody has looked at. */
export const measuredScene = (scene: SceneMetrics): string => {
  const seconds = inHundredths(scene.endSeconds - scene.startSeconds);
  return `${capitalized(light(scene.brightness))} picture${colored(scene.palette)}; ${movement(scene.motion)} for ${seconds} s.`;
};

/** The same of a picture. */
export const measuredPicture = ({ brightness, palette }: Omit<Look, "motion">): string =>
  `${capitalized(light(brightness))} picture${colored(palette)}.`;

const pace: Record<Tempo, string> = { fast: "fast-paced", medium: "steady", slow: "calm" };

/** Tempo and light of a whole film. */
export function measuredTone({ scenes, tempo, palette, motion }: VideoMetrics): string {
  const brightness = weighted(scenes, ({ brightness }) => brightness);
  const lively = motion < 0.15 ? "little movement" : motion < 0.4 ? "some movement" : "much movement";
  return `${capitalized(pace[tempo])} and ${light(brightness)}, with ${lively}${colored(palette)}`;
}

/** A mean over scenes in which a long one counts more. */
export function weighted(scenes: readonly SceneMetrics[], read: (scene: SceneMetrics) => number): number {
  const lengths = scenes.map(({ startSeconds, endSeconds }) => Math.max(endSeconds - startSeconds, 1e-3));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  return scenes.reduce((sum, scene, index) => sum + (read(scene) * lengths[index]!) / total, 0);
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
