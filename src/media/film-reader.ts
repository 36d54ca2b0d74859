import type { FileStore } from "../domain/files.ts";
import type { FilmReader } from "../domain/film-reading.ts";
import type { Ffmpeg } from "./ffmpeg.ts";

type ReaderPorts = { readonly ffmpeg: Ffmpeg; readonly files: Pick<FileStore, "jobFolder"> };

export const ffmpegFilmReader = (_: ReaderPorts): FilmReader => {
  const missing = async () => {
    throw new Error("not built");
  };
  return { measure: missing, frames: missing, picture: missing };
};
