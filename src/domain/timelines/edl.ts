import { type FrameRate, framesIn } from "../../engine/timeline/time.ts";
import type { EditClip, EditList } from "./edit-list.ts";

/** A CMX 3600 list of the pictures: cuts, dissolves and locators. Timecode counts every frame, without dropping any. */
export function edlOf({ name, rate, tracks, markers, lost }: EditList): string {
  const code = (frames: number) => timecode(frames, rate);
  const lines = [`TITLE: ${oneLine(name)}`, "FCM: NON-DROP FRAME", ...lost.map((note) => `* ${oneLine(note)}`), ""];
  const [pictures] = tracks;
  let event = 0;
  let before: EditClip | undefined;
  let dissolve = 0;
  for (const item of pictures?.items ?? []) {
    if (item.kind === "gap") before = undefined;
    if (item.kind === "transition") dissolve = item.frames;
    if (item.kind !== "clip") continue;
    event++;
    const number = `${event}`.padStart(3, "0");
    const { start, end } = item.range;
    const line = (kind: string, from: number, to: number) =>
      `${number}  AX       V     ${kind} ${code(from)} ${code(to)} `;
    const [from, to] =
      (item.speed ?? 1) < 0 ? [mediaEndOf(item), item.mediaStart] : [item.mediaStart, mediaEndOf(item)];
    if (dissolve > 0 && before) {
      const left = mediaEndOf(before);
      lines.push(`${line("C       ", left, left)}${code(start)} ${code(start)}`);
      lines.push(`${line(`D    ${`${dissolve}`.padStart(3, "0")}`, from, to)}${code(start)} ${code(end)}`);
      lines.push(`* FROM CLIP NAME: ${before.name}`, `* TO CLIP NAME: ${item.name}`);
    } else {
      lines.push(`${line("C       ", from, to)}${code(start)} ${code(end)}`);
      lines.push(`* FROM CLIP NAME: ${item.name}`);
    }
    lines.push(`* SOURCE FILE: ${item.media.path}`);
    if (item.isHeld) lines.push(`M2   AX             000.0                ${code(item.mediaStart)}`);
    if (item.speed !== undefined)
      lines.push(`M2   AX             ${framesPerSecond(item.speed, rate)}                ${code(item.mediaStart)}`);
    for (const marker of markers.filter((one) => one.range.start >= start && one.range.start < end))
      lines.push(`* LOC: ${code(marker.range.start)} GREEN   ${marker.name.toUpperCase()}`);
    before = item;
    dissolve = 0;
  }
  return `${lines.join("\r\n")}\r\n`;
}

const mediaEndOf = ({ mediaStart, range, speed = 1 }: EditClip): number =>
  Math.max(0, Math.round(mediaStart + framesIn(range) * speed));

/** Three digits and a tenth, with a sign if the clip plays backwards. */
function framesPerSecond(speed: number, { num, den }: FrameRate): string {
  const text = Math.abs((speed * num) / den)
    .toFixed(1)
    .padStart(5, "0");
  return speed < 0 ? `-${text}` : text;
}

const oneLine = (text: string): string => text.replace(/\s+/gu, " ").trim();

/** Counts the nominal rate: 30 for 30000/1001. */
function timecode(frames: number, { num, den }: FrameRate): string {
  const nominal = Math.max(1, Math.round(num / den));
  const seconds = Math.floor(frames / nominal);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60, frames % nominal];
  return parts.map((part) => `${part}`.padStart(2, "0")).join(":");
}
