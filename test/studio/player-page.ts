import { h, render } from "preact";
import type { Preview } from "../../studio/src/api.ts";
import { Player } from "../../studio/src/player/player.tsx";
import { canStream, openStream } from "../../studio/src/player/stream.ts";

/** Of the page that tests drive. */
const page = globalThis as unknown as {
  token: string;
  player: HTMLVideoElement;
  preview: Preview;
  quality: string;
  failures: string[];
};

const player = document.querySelector<HTMLVideoElement>("#player")!;
const film = document.querySelector<HTMLVideoElement>("#film")!;
page.failures = [];
let stream: ReturnType<typeof openStream> | undefined;

const post = (path: string, body: object) =>
  fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${page.token}` },
    body: JSON.stringify(body),
  });

/** The parts are requested as a player without headers does. */
const withToken = (text: string) => text.replaceAll(/"((?:init)?[uU]rl)":"([^"]+)"/g, `"$1":"$2?token=${page.token}"`);

const loaderOf =
  (body: object) =>
  async (quality: string): Promise<Preview> => {
    const response = await post(`/api/export/preview?quality=${quality}`, body);
    const preview: Preview = JSON.parse(withToken(await response.text()));
    if (quality === "standard") page.preview = preview;
    return preview;
  };

/** The player of the studio, over a work's saved editor. */
function showPlayer(body: object, work: string): void {
  const frame = (seconds: number) => `${work}/frame?t=${seconds}&width=128&token=${page.token}`;
  render(h(Player, { name: "Film", load: loaderOf(body), frame }), document.querySelector("#app")!);
}

async function show(body: object): Promise<void> {
  const load = loaderOf(body);
  stream ??= openStream(player, {
    onQuality(quality) {
      page.quality = quality;
    },
    onFailure(error) {
      page.failures.push(String(error));
    },
  });
  await stream.show(load);
  if (!canStream(page.preview)) page.failures.push("no stream");
}

async function showExport(body: object): Promise<void> {
  const response = await post("/api/export", body);
  film.src = URL.createObjectURL(await response.blob());
  await new Promise((resolve) => film.addEventListener("loadeddata", resolve, { once: true }));
}

/** Resolves when the element shows the frame: the end of a seek may come before. */
function presentFrame(video: HTMLVideoElement, frame: number): Promise<void> {
  return new Promise((resolve) => {
    const look: VideoFrameRequestCallback = (_, { mediaTime }) => {
      if (Math.round(mediaTime * 30) === frame) resolve();
      else video.requestVideoFrameCallback(look);
    };
    video.requestVideoFrameCallback(look);
    video.currentTime = (frame + 0.5) / 30;
  });
}

async function hashes(video: HTMLVideoElement, frames: readonly number[]): Promise<readonly string[]> {
  const drawn: string[] = [];
  for (const frame of frames) {
    await presentFrame(video, frame);
    const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight);
    const context = canvas.getContext("2d")!;
    context.drawImage(video, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    const digest = await crypto.subtle.digest("SHA-256", data);
    drawn.push([...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
  }
  return drawn;
}

const hold = () => stream?.hold();
const resume = () => stream?.resume();
const qualities = () => stream?.qualities() ?? [];
Object.assign(page, { player, show, hold, resume, showPlayer, showExport, hashes, qualities });
