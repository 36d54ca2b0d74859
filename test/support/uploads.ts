import { readdir } from "node:fs/promises";
import { join } from "node:path";
import ffmpegInstaller from "@ffmpeg-installer/ffmpeg";
import { createCanvas } from "@napi-rs/canvas";
import type { TestService, TestUser } from "./service.ts";

/** A black image. */
export function png(width = 4, height = 2, color = "#000000"): File {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  context.fillStyle = color;
  context.fillRect(0, 0, width, height);
  return new File([new Uint8Array(canvas.toBuffer("image/png"))], "pixel.png", { type: "image/png" });
}

/** A second of silence. */
export function wav(): File {
  const samples = 8000;
  const header = Buffer.from("RIFF....WAVEfmt ....................data....", "latin1");
  header.writeUInt32LE(36 + samples, 4);
  for (const [value, offset] of [
    [16, 16],
    [8000, 24],
    [8000, 28],
    [samples, 40],
  ] as const)
    header.writeUInt32LE(value, offset);
  for (const [value, offset] of [
    [1, 20],
    [1, 22],
    [1, 32],
    [8, 34],
  ] as const)
    header.writeUInt16LE(value, offset);
  return new File([new Uint8Array(header), new Uint8Array(samples).fill(128)], "silence.wav", { type: "audio/wav" });
}

let encodedVideo: Promise<Uint8Array<ArrayBuffer>> | undefined;

/** Half a second of ffmpeg's test pattern, 32 × 18. */
export async function mp4(): Promise<File> {
  encodedVideo ??= encodeVideo();
  return new File([await encodedVideo], "clip.mp4", { type: "video/mp4" });
}

async function encodeVideo() {
  const source = ["-f", "lavfi", "-i", "testsrc=size=32x18:rate=10:duration=0.5", "-pix_fmt", "yuv420p"];
  const flags = ["-movflags", "frag_keyframe+empty_moov", "-f", "mp4", "pipe:1"];
  const ffmpeg = Bun.spawn([ffmpegInstaller.path, "-v", "error", ...source, ...flags], { stdout: "pipe" });
  return await new Response(ffmpeg.stdout).bytes();
}

/** A form with one or several values in each field. */
export function formOf(fields: Record<string, string | File | readonly (string | File)[]>): FormData {
  const form = new FormData();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) form.append(name, value as string | File);
  }
  return form;
}

export const boundary = "the-boundary";

/** A raw multipart body, for forms that no client library would write. */
export const rawForm = (...lines: readonly string[]): RequestInit => ({
  method: "POST",
  headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  body: lines.join("\r\n"),
});

export async function newProject(user: TestUser): Promise<string> {
  const response = await user.json("POST", "/api/projects", { name: "Launch" });
  if (response.status !== 201) throw new Error(await response.text());
  return (await response.json()).id;
}

/** Every file of the service, stored or temporary, also where files are stored elsewhere than in the data directory. */
export async function filesOf({ dataDir, files }: TestService): Promise<readonly string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const isLocal = (path: string) => !path.startsWith(join(dataDir, "scratch"));
  const local = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const stored = (await files.keysWrittenBefore(Number.POSITIVE_INFINITY)).map((key) => join(dataDir, "files", key));
  return [...new Set([...local.filter(isLocal), ...stored])].sort();
}

/** The number of asset rows and files that `action` added. */
export async function countAdded(service: TestService, user: TestUser, path: string, action: () => Promise<unknown>) {
  const rows = async (): Promise<number> => (await (await user.request(path)).json()).count;
  const filesBefore = await filesOf(service);
  const rowsBefore = await rows();
  await action();
  return { rows: (await rows()) - rowsBefore, files: (await filesOf(service)).length - filesBefore.length };
}

export const nothingAdded = { rows: 0, files: 0 };

/** Serves the app on a free local port, as `main.ts` does. Calls `onDisconnect` for each client that leaves early. */
export function listen({ app }: Pick<TestService, "app">, onDisconnect: () => void = () => {}) {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    fetch(request, server) {
      request.signal.addEventListener("abort", onDisconnect);
      return app.fetch(request, server);
    },
  });
  return { url: server.url.origin, port: server.port!, stop: () => server.stop(true) };
}
