import type { FileStore } from "../domain/files.ts";
import type { Studio } from "../domain/studio.ts";
import type { Ffmpeg } from "./ffmpeg.ts";

type StudioPorts = { readonly ffmpeg: Ffmpeg; readonly files: Pick<FileStore, "jobFolder" | "receive"> };

export const localStudio = (_: StudioPorts): Studio => {
  const missing = async () => {
    throw new Error("not built");
  };
  return { drawStoryboard: missing, moveCamera: missing };
};
