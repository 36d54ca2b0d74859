import { symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { FilmRequest } from "./requests.ts";

/** What the process of simple-ffmpegjs renders: the fields of its own API. */
export type PeerJob = { readonly library: string; readonly clips: readonly object[]; readonly output: string };

const font = Bun.resolveSync("@expo-google-fonts/inter/700Bold/Inter_700Bold.ttf", import.meta.dir);

/** simple-ffmpegjs covers and blurs no video, and its pictures are clips: both render only clips that fill the frame. */
export const withoutFits = (film: FilmRequest): FilmRequest => ({
  ...film,
  images: [],
  clips: film.clips.map(({ fit, sceneIndex, cutFrom, ...clip }) =>
    fit
      ? { ...clip, sceneIndex: fit === "cover" ? 2 : 6, cutFrom: fit === "cover" ? 2 : 0.5 }
      : { ...clip, sceneIndex, cutFrom },
  ),
});

/** Renders the film by simple-ffmpegjs with the same ffmpeg, preset and CRF; returns its wall-clock seconds. */
export async function renderByPeer(job: PeerJob, ffmpeg: string, folder: string): Promise<number> {
  // it starts the first `ffmpeg` of PATH
  await symlink(ffmpeg, join(folder, "ffmpeg")).catch(() => {});
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "peer-process.ts"), JSON.stringify(job)], {
    env: { ...process.env, PATH: [folder, process.env.PATH].join(delimiter) },
    stdout: "pipe",
    stderr: "inherit",
  });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(output);
  return Number(/^seconds (.+)$/m.exec(output)?.[1]);
}

/** The film as simple-ffmpegjs describes one: each clip overlaps the next one by the transition. */
export function peerClips(film: FilmRequest, clips: readonly string[], music: string): readonly object[] {
  let start = 0;
  const videos = film.clips.map(({ sceneIndex, cutFrom, position, end, transition, transitionDuration }, index) => {
    const before = film.clips[index - 1];
    const length = end - position + (transition === "cut" ? 0 : transitionDuration);
    const begin = start;
    start += length;
    return {
      ...{ type: "video", url: clips[sceneIndex], cutFrom, position: begin, end: start },
      ...(before &&
        before.transition !== "cut" && {
          transition: { type: before.transition, duration: before.transitionDuration },
        }),
    };
  });
  const texts = film.texts.map(({ text, position, end, fontSize, fontColor, strokeColor, strokeWidth, centerY }) => ({
    ...{ type: "text", text, position, end, fontFile: font, fontSize, fontColor },
    ...{ borderColor: strokeColor, borderWidth: strokeWidth, xPercent: 0.5, yPercent: 0.5 + centerY / 1920 },
  }));
  const seconds = film.clips.at(-1)!.end;
  return [...videos, { type: "music", url: music, position: 0, end: seconds, volume: film.audio.volume }, ...texts];
}
