import { FocusCollector } from "./focus-collector.ts";
import { readFrames } from "./frame-stream.ts";

// a program of its own, because measuring keeps a core busy for as long as ffmpeg decodes
const [width, height] = process.argv.slice(2).map(Number);
const size = { width: width!, height: height! };
const collector = new FocusCollector(size);
await readFrames(Bun.stdin.stream(), size, (pixels, atSeconds) => collector.push(pixels, atSeconds));
await Bun.write(Bun.stdout, JSON.stringify(collector.finish()));
