import type { Region } from "../../ports.ts";
import type { SubjectBox } from "../../timeline/focus.ts";
import { FocusCollector } from "./focus/collector.ts";
import { readFrames } from "./frames/frame-stream.ts";
import { MetricsCollector } from "./metrics/collector.ts";
import { QualityCollector } from "./quality/collector.ts";

// a separate program, because measuring keeps a core busy while ffmpeg decodes
const [measured, width, height, areas] = process.argv.slice(2);
const size = { width: Number(width), height: Number(height) };
const collectors = {
  metrics: () => new MetricsCollector(size),
  focus: () => new FocusCollector(size, JSON.parse(areas!) as SubjectBox[]),
  quality: () => new QualityCollector(size, JSON.parse(areas!) as Region[]),
};
export type Measured = keyof typeof collectors;

// safe because only sandboxed.ts starts this program
const collector = collectors[measured as Measured]();
await readFrames(Bun.stdin.stream(), size, (pixels, atSeconds) => collector.push(pixels, atSeconds));
await Bun.write(Bun.stdout, JSON.stringify(collector.finish()));
