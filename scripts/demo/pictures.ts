import { type Canvas, createCanvas, type Image, loadImage } from "@napi-rs/canvas";
import { type Client, unwrap } from "../../src/client.ts";
import { filmSeconds } from "./film.ts";

type WorkPath = { readonly projectId: string; readonly workId: string };

/** The name, what it is and its subject are on screen then. */
const posterSeconds = 2;

/** Writes the frame with the product's name as a JPEG. */
export async function drawPoster(api: Client, work: WorkPath, file: string): Promise<void> {
  const frame = await readFrame(api, work, { t: posterSeconds });
  const canvas = createCanvas(frame.width, frame.height);
  canvas.getContext("2d").drawImage(frame, 0, 0);
  await writeJpeg(canvas, file);
}

const stripFrameWidth = 88;

/** Writes the middle frame of each second, from left to right, as one JPEG. */
export async function drawFilmstrip(api: Client, work: WorkPath, file: string): Promise<void> {
  const frames: Image[] = [];
  for (let second = 0; second < filmSeconds; second++) {
    frames.push(await readFrame(api, work, { t: second + 0.5, width: stripFrameWidth }));
  }
  const canvas = createCanvas(frames.length * stripFrameWidth, frames[0]!.height); // safe because the film has seconds
  const context = canvas.getContext("2d");
  for (const [index, frame] of frames.entries()) context.drawImage(frame, index * stripFrameWidth, 0);
  await writeJpeg(canvas, file);
}

const frameWidth = 270;
const frameGap = 14;

/** Writes a frame of each scene, at rest, from left to right, as one JPEG. */
export async function drawFrames(api: Client, { projectId, workId }: WorkPath, file: string): Promise<void> {
  const param = { projectId, workId };
  const { editorState } = await unwrap(api.api.projects[":projectId"].works[":workId"].$get({ param }));
  const frames: Image[] = [];
  for (const { start, end } of editorState?.editorData.videoTrack ?? []) {
    frames.push(await readFrame(api, param, { t: start + 0.72 * (end - start), width: frameWidth }));
  }
  const canvas = createCanvas(frames.length * (frameWidth + frameGap) - frameGap, frames[0]!.height); // safe because the film has scenes
  const context = canvas.getContext("2d");
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  for (const [index, frame] of frames.entries()) context.drawImage(frame, index * (frameWidth + frameGap), 0);
  await writeJpeg(canvas, file);
}

async function readFrame(api: Client, json: WorkPath, { t, width }: { t: number; width?: number }): Promise<Image> {
  const query = { t: `${t}`, ...(width && { width: `${width}` }) };
  const response = await api.api.export.frame.$post({ query, json });
  if (!response.ok) throw new Error(await response.text());
  return loadImage(await response.arrayBuffer());
}

const writeJpeg = async (canvas: Canvas, file: string) => {
  await Bun.write(file, await canvas.encode("jpeg", 82));
};
