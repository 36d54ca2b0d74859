import { rm } from "node:fs/promises";
import { execa } from "execa";
import { measureTime } from "../measure.ts";
import { type FilmRequest, transitionSeconds } from "./requests.ts";

/**
 * What any exporter has to do at least: to decode the ranges of the sources that the film shows, and to encode its
 * finished frames. `prepare` decodes the finished film to raw frames, `cpuSeconds` measures, `close` removes them.
 */
export function limitOf(ffmpeg: string, film: FilmRequest, clips: readonly string[], raw: string) {
  const frames = ["-f", "rawvideo", "-pix_fmt", "yuv420p"];
  const quiet = ["-v", "error", "-y"];
  const none = ["-f", "null", "-"];
  const decode = async () => {
    for (const { sceneIndex, cutFrom, position, end, transition } of film.clips) {
      const seconds = end - position + (transition === "cut" ? 0 : transitionSeconds);
      const range = ["-ss", `${cutFrom}`, "-t", `${seconds}`, "-i", clips[sceneIndex]!];
      await execa(ffmpeg, [...quiet, ...range, "-an", ...none]);
    }
  };
  const encode = () =>
    execa(ffmpeg, [
      ...[...quiet, ...frames, "-s", "1080x1920", "-r", "30", "-i", raw],
      ...["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", ...none],
    ]);
  return {
    prepare: (video: string) => execa(ffmpeg, [...quiet, "-i", video, ...frames, raw]),
    cpuSeconds: async () => (await measureTime(decode)).cpu + (await measureTime(encode)).cpu,
    close: () => rm(raw, { force: true }),
  };
}
