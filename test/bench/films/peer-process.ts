import { join } from "node:path";
import type { PeerJob } from "./peer.ts";

/** Renders one film by simple-ffmpegjs in a process of its own, because it prints, and prints the seconds. */
// safe because peer.ts starts this with a job
const { library, clips, output } = JSON.parse(process.argv[2]!) as PeerJob;
const { default: SimpleFfmpeg } = await import(join(library, "index.mjs"));
const startedAt = performance.now();
const project = new SimpleFfmpeg({ width: 1080, height: 1920, fps: 30 });
await project.load(clips);
await project.export({ outputPath: output, preset: "veryfast", crf: 23, compensateTransitions: false });
console.log(`\nseconds ${(performance.now() - startedAt) / 1000}`);
