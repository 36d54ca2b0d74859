import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { testService } from "../helpers/service.ts";
import { benchFilm, exportFilm } from "./bench-film.ts";
import { type Figure, report } from "./figures.ts";
import { drawFootage } from "./footage.ts";
import { medianOf, timed } from "./measure.ts";

/** How long whoever edits waits for frames and contact sheets of the 30-second film, before and after its export. */
const frames = 16;
const sheets = 3;
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg, version } = await findFfmpeg(process.env.FFMPEG_PATH);
const service = await testService();

try {
  const footage = await drawFootage(ffmpeg, folder);
  const user = await service.register();
  const { request } = await benchFilm(user, footage);
  const ask = async (what: string) => {
    const { result, wall } = await timed(async () => user.json("POST", `/api/export/${what}`, request));
    if (!result.ok) throw new Error(await result.text());
    return wall * 1000;
  };
  /** Spread over the film, and other ones for each `phase`. */
  const askFrames = async (phase: number) => {
    const waits: number[] = [];
    for (let index = 0; index < frames; index++) waits.push(await ask(`frame?t=${((index + phase) * 29) / frames}`));
    return waits;
  };
  const askSheets = async (before: () => Promise<unknown>) => {
    const waits: number[] = [];
    for (let index = 0; index < sheets; index++) {
      await before();
      waits.push(await ask("contact-sheet"));
    }
    return waits;
  };
  const forgetFrames = () => rm(join(service.dataDir, "frames"), { recursive: true, force: true });

  await ask("frame?t=0"); // bears what a start costs
  const fromSources = await askFrames(0.2);
  const sheetsFromSources = await askSheets(forgetFrames);
  await exportFilm(user, request);
  const fromSegments = await askFrames(0.6);
  const again = await askFrames(0.6);
  const sheetsFromSegments = await askSheets(forgetFrames);
  const sheetsAgain = await askSheets(async () => {});

  report([
    figureOf("frame of a rendered film", fromSegments, "<= 300 ms"),
    figureOf("frame of a film not rendered yet", fromSources, ""),
    figureOf("frame asked again", again, "<= 300 ms"),
    figureOf("contact sheet of a rendered film", sheetsFromSegments, "<= 2500 ms"),
    figureOf("contact sheet of a film not rendered yet", sheetsFromSources, ""),
    figureOf("contact sheet asked again", sheetsAgain, "<= 2500 ms"),
  ]);
} finally {
  await service.close();
  await rm(folder, { recursive: true, force: true });
}

function figureOf(what: string, waits: readonly number[], goal: string): Figure {
  const measured = `${medianOf(waits).toFixed(0)} ms (worst ${Math.max(...waits).toFixed(0)})`;
  return { figure: `${what}, 1080x1920, ffmpeg ${version}`, measured, goal };
}
