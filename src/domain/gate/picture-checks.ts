import { type Check, inSeconds, naming } from "./finding.ts";
import type { RuleName } from "./rule-names.ts";

const flashes =
  (kind: "flashes" | "redFlashes"): Check =>
  ({ video }, { max = 3 }) => {
    const { perSecond: measured, at } = video[kind];
    if (measured <= max) return { measured };
    const [flashes, name] = kind === "flashes" ? ["flashes", "flashes"] : ["flashes red", "flashes of red"];
    const message = `The picture ${flashes} ${measured} times in one second: more than ${max} ${name} can cause seizures.`;
    return { measured, message, ...(at !== undefined && { at: [{ start: at, end: at + 1 }] }) };
  };

const stretches =
  (kind: "black" | "frozen", what: string): Check =>
  ({ video }, { max = 0 }) => {
    const lengths = video[kind].map(({ start, end }) => end - start);
    const measured = Number(Math.max(0, ...lengths).toFixed(2));
    const at = video[kind].filter(({ start, end }) => end - start > max);
    const [first] = at;
    if (!first) return { measured };
    const message = `${what} for ${inSeconds(first.end - first.start)} from ${inSeconds(first.start)} on: at most ${inSeconds(max)} is asked for.`;
    return { measured, at, message };
  };

/** Shorter moments are transitions. */
const lowShare = 0.25;

const contrast: Check = ({ texts, video }, { min = 3 }) => {
  const measured = texts.flatMap(({ path, ownContrast, start, end }, index) => {
    const ground = video.grounds[index];
    const text = { path, at: { start, end } };
    if (ownContrast !== undefined) return [{ ...text, contrast: ownContrast, isLow: ownContrast < min }];
    return ground ? [{ ...text, contrast: ground.contrast, isLow: ground.lowShare > lowShare }] : [];
  });
  if (measured.length === 0) return undefined;
  const low = measured.filter(({ isLow }) => isLow);
  const lowest = Number(Math.min(...(low.length > 0 ? low : measured).map((one) => one.contrast)).toFixed(2));
  if (low.length === 0) return { measured: lowest };
  const message = `${naming(low)} is hard to read: its contrast to what is behind it is ${lowest} to 1, and falls below ${min} to 1.`;
  return { measured: lowest, message, at: low.map(({ at }) => at) };
};

/** Checks of measurements on the frames. */
export const pictureChecks = {
  contrast,
  flashes: flashes("flashes"),
  red_flashes: flashes("redFlashes"),
  black: stretches("black", "The picture is black"),
  frozen: stretches("frozen", "The picture does not move"),
} satisfies Partial<Record<RuleName, Check>>;
