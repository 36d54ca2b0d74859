import type { Region } from "../../../domain/gate/measured.ts";
import { readFrames } from "./frame-stream.ts";
import { QualityCollector } from "./quality-collector.ts";

const [width, height, regions] = process.argv.slice(2);
const size = { width: Number(width), height: Number(height) };
// safe because only sandboxed-quality.ts starts this program
const collector = new QualityCollector(size, JSON.parse(regions!) as Region[]);
await readFrames(Bun.stdin.stream(), size, (pixels, atSeconds) => collector.push(pixels, atSeconds));
await Bun.write(Bun.stdout, JSON.stringify(collector.finish()));
