import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cameraMoves } from "../../src/domain/ai/generation/local-generator.ts";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { localGenerator } from "../../src/media/local/generator.ts";
import { diskFiles } from "../../src/storage/files/disk-files.ts";
import type { MediaFacts } from "../../src/timeline/source.ts";
import { type Figure, report } from "./figures.ts";
import { measureTime, medianOf } from "./measure.ts";

/** Measures the local provider's camera moves over a drawn storyboard, or over the image that IMAGE names. */
const resolution = { width: 1080, height: 1920 };
const durationSeconds = 5;
const runs = 3;
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const ffmpeg = await findFfmpeg(process.env.FFMPEG_PATH);
const files = await diskFiles(join(folder, "store"));
const { drawStoryboard, moveCamera } = localGenerator({ ffmpeg, files });
const options = { owner: "ann", signal: new AbortController().signal };

try {
  const still = await stillImage();
  await moveCamera({ ...still, resolution, durationSeconds: 0.5, move: "push_in" }, options); // warm-up
  const figures: Figure[] = [];
  for (const move of cameraMoves) {
    const measured = [];
    for (let run = 0; run < runs; run++) {
      measured.push(await measureTime(() => moveCamera({ ...still, resolution, durationSeconds, move }, options)));
    }
    figures.push(...figuresOf(`${move}, ffmpeg ${ffmpeg.version}`, measured));
  }
  report(figures);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function stillImage(): Promise<{ readonly path: string; readonly facts: MediaFacts }> {
  const facts: MediaFacts = { kind: "image", container: "png", mimeType: "image/png", extension: "png", ...resolution };
  if (process.env.IMAGE) return { path: process.env.IMAGE, facts };
  const path = join(folder, "storyboard.png");
  const prompt = "A paper bag of coffee beans on a wooden counter in the morning light";
  const request = { resolution, prompt, avoid: "", palette: ["#14213d", "#fca311"], tone: "warm" };
  await Bun.write(path, await drawStoryboard(request, options));
  return { path, facts };
}

type Measured = { readonly cpu: number; readonly wall: number; readonly result: { readonly sizeBytes: number } };

function figuresOf(title: string, measured: readonly Measured[]): Figure[] {
  const cpu = measured.map((run) => run.cpu / durationSeconds);
  const wall = measured.map((run) => run.wall / durationSeconds);
  const megabits = (measured[0]!.result.sizeBytes * 8) / durationSeconds / 1e6;
  const worst = (numbers: readonly number[]) =>
    `${medianOf(numbers).toFixed(2)} (worst ${Math.max(...numbers).toFixed(2)})`;
  return [
    { figure: `${title}, CPU seconds per second of video`, measured: worst(cpu), goal: "<= 1.3" },
    { figure: `${title}, seconds per second of video`, measured: worst(wall), goal: "" },
    { figure: `${title}, Mbit/s`, measured: megabits.toFixed(2), goal: "" },
  ];
}
