import { rm } from "node:fs/promises";
import { draw } from "../../support/media/draw-media.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";

export const tone = (volume: number) => `sine=f=440:r=48000,volume=${volume}`;

/** A clip that ffmpeg draws. */
export async function drawnClip(graph: string, { seconds = 6, sound = "", size = "90x160", fps = 30 } = {}) {
  const folder = await temporaryFolder();
  try {
    const source = graph.replace("SIZE", `s=${size}:r=${fps}`);
    const encoding = ["-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "12"];
    const drawing = sound ? `${source}[out0];${sound}[out1]` : source;
    const path = await draw(`${folder}/clip.mp4`, drawing, "-t", `${seconds}`, ...encoding);
    return new File([await Bun.file(path).bytes()], "clip.mp4", { type: "video/mp4" });
  } finally {
    await rm(folder, { recursive: true });
  }
}
