import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFfmpeg } from "../../src/engine/ffmpeg/ffmpeg.ts";
import { testService } from "../support/service.ts";
import { createExportRequest } from "./export-request.ts";
import { type Figure, report } from "./figures.ts";
import { drawMusicAndImage, type Footage } from "./footage.ts";
import { clipKinds, encodeClips } from "./gop-footage.ts";
import { measureTime, medianOf, untilProxies } from "./measure.ts";

/**
 * Measures what a person waits for after a changed word, in a video of 15 seconds at 1080×1920 whose clips have proxies:
 * the frame at the playhead, and the first parts of the draft that a player needs to go on there.
 */
const seconds = 15;
const changes = 20;
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg, version } = await findFfmpeg(process.env.FFMPEG_PATH);
const service = await testService();

try {
  const others = await drawMusicAndImage(ffmpeg, folder);
  const figures: Figure[] = [];
  for (const kind of Object.keys(clipKinds)) {
    figures.push(...(await measureFootage(kind, { ...others, clips: await encodeClips(folder, kind) })));
  }
  report(figures);
} finally {
  await service.close();
  await rm(folder, { recursive: true, force: true });
}
// the database stays open for a next test, and would keep this process
process.exit();

async function measureFootage(kind: string, footage: Footage): Promise<readonly Figure[]> {
  const user = await service.register();
  const { request } = await createExportRequest(user, footage, { seconds });
  const answered = async (pending: Response | Promise<Response>) => {
    const response = await pending;
    if (!response.ok) throw new Error(await response.text());
    return response;
  };
  const post = (path: string, body: object) => answered(user.json("POST", `/api/export/${path}`, body));
  const changed = (word: string) => ({
    ...request,
    texts: request.texts.map((text, index) => (index === 0 ? { ...text, text: `${text.text} ${word}` } : text)),
  });

  /** Until a player can show the playhead and go on: as the studio asks for it. */
  const playFrom = async (at: number, body: object) => {
    await post("preview?quality=standard", body);
    const { video, audio, fps } = await (await post("preview?quality=draft", body)).json();
    const index = video.segments.findIndex(({ end }: { end: number }) => end > at * fps);
    const take = async ({ url, initUrl }: { url: string; initUrl: string }) => {
      await (await answered(user.request(url))).bytes();
      await (await answered(user.request(initUrl))).bytes();
    };
    const next = video.segments.slice(index, index + 2).map(take);
    await Promise.all([...next, answered(user.request(audio.url)).then((response) => response.bytes())]);
  };

  await post("frame?t=1", request);
  await playFrom(1, request); // warm-up, and proxies are missed
  await untilProxies(process.pid);
  await playFrom(1, changed("first"));
  const frames: Awaited<ReturnType<typeof measureTime>>[] = [];
  const drafts: typeof frames = [];
  for (let change = 0; change < changes; change++) {
    const at = 0.5 + (change % 10) / 2;
    frames.push(await measureTime(() => post(`frame?t=${at}`, changed(`frame ${change}`))));
    drafts.push(await measureTime(() => playFrom(at, changed(`draft ${change}`))));
  }

  const figureOf = (what: string, times: typeof frames, goal: string): Figure => {
    const wall = times.map((each) => each.wall * 1000);
    const cpu = medianOf(times.map((each) => each.cpu * 1000));
    const measured = `${medianOf(wall).toFixed(0)} ms (worst ${Math.max(...wall).toFixed(0)}, CPU ${cpu.toFixed(0)})`;
    return { figure: `${what}, ${kind}, ffmpeg ${version}`, measured, goal };
  };
  return [
    figureOf("frame after a changed word", frames, "<= 600 ms"),
    figureOf("a second of draft after a changed word", drafts, "<= 1500 ms"),
  ];
}
