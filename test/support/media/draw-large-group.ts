import { drawStates } from "../../../src/engine/overlays/states.ts";
import type { DrawnState } from "../../../src/engine/timeline/overlay.ts";
import { red } from "./drawn-overlays.ts";

/** A program of its own: draws two frames of a group that is blurred, masked with a soft edge, and casts a shadow. */
const canvas = { width: 4096, height: 4096 };
const box = { x: 0, y: 0, ...canvas };
const inner: DrawnState = {
  content: { kind: "shape", shape: "rect", box, fill: red },
  opacity: 0.5,
  rotationDegrees: 0,
  effects: { blend: "multiply" },
};
const group: DrawnState = {
  content: { kind: "group", box, clips: false, layers: [inner] },
  opacity: 0.5,
  rotationDegrees: 0,
  effects: {
    filter: { blur: 50 },
    shadow: { color: red, blur: 200, offsetX: 10, offsetY: 10 },
    mask: { kind: "ellipse", x: 0, y: 0, width: 4096, height: 4096, radius: 0, invert: false, feather: 200 },
  },
};

await drawStates({
  states: [group, group],
  canvas,
  format: "raw",
  output: process.argv[2]!,
  localPathOf: () => Promise.reject(new Error("It shows no file.")),
});

// not the usage that the parent reads: it counts the memory of the parent at the fork, too
const [, kibibytes] = /VmHWM:\s+(\d+)/.exec(await Bun.file("/proc/self/status").text()) ?? [];
process.stdout.write(kibibytes ?? "");
