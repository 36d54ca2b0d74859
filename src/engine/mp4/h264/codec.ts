import type { Canvas } from "../../timeline/canvas.ts";
import type { FrameRate } from "../../timeline/time.ts";

/** ITU-T H.264, table A-1: a level, and its macroblocks per second, per frame, and of the decoded picture buffer. */
const levels: readonly (readonly [level: number, ofSecond: number, ofFrame: number, ofBuffer: number])[] = [
  [10, 1485, 99, 396],
  [11, 3000, 396, 900],
  [12, 6000, 396, 2376],
  [13, 11_880, 396, 2376],
  [21, 19_800, 792, 4752],
  [22, 20_250, 1620, 8100],
  [30, 40_500, 1620, 8100],
  [31, 108_000, 3600, 18_000],
  [32, 216_000, 5120, 20_480],
  [40, 245_760, 8192, 32_768],
  [42, 522_240, 8704, 34_816],
  [50, 589_824, 22_080, 110_400],
  [51, 983_040, 36_864, 184_320],
  [52, 2_073_600, 36_864, 184_320],
  [60, 4_177_920, 139_264, 696_320],
  [61, 8_355_840, 139_264, 696_320],
  [62, 16_711_680, 139_264, 696_320],
];

const highProfile = "6400";

/** The RFC 6381 name of x264's output in the profile High, for players. `buffered`: pictures of its buffer. */
export function codecOf({ width, height }: Canvas, { num, den }: FrameRate, buffered: number): string {
  const [across, down] = [Math.ceil(width / 16), Math.ceil(height / 16)];
  const blocks = across * down;
  const [level] =
    levels.find(
      ([, ofSecond, ofFrame, ofBuffer]) =>
        blocks <= ofFrame &&
        Math.max(across, down) ** 2 <= 8 * ofFrame &&
        blocks * buffered <= ofBuffer &&
        Math.floor((blocks * num) / den) <= ofSecond,
    ) ?? levels.at(-1)!;
  return `avc1.${highProfile}${level.toString(16).padStart(2, "0")}`;
}
