import type { Client } from "../../src/client.ts";

const seconds = 5;
const size = { width: 720, height: 1280 };

const hill = (color: string, d: string, y: number, drift: number) => ({
  ...{ type: "shape", shape: "path", d, viewBox: [0, 0, 900, 400], width: 1000, height: 450, fill: color, centerY: y },
  keyframes: {
    centerX: [
      { at: 0, value: -drift },
      { at: "100%", value: drift },
    ],
  },
});

const travels = (property: string, from: number, to: number) => ({
  [property]: [
    { at: 0, value: from },
    { at: "100%", value: to, easing: "out-sine" },
  ],
});

/** A sunrise over hills: shapes that move. */
const layers = [
  {
    ...{ type: "shape", shape: "rect" },
    fill: {
      ...{ type: "linear", angle: 180 },
      stops: [
        { at: 0, color: "#27306b" },
        { at: 0.45, color: "#e0697a" },
        { at: 0.75, color: "#ffc27a" },
        { at: 1, color: "#ffe7b3" },
      ],
    },
  },
  {
    ...{
      type: "shape",
      shape: "ellipse",
      width: 620,
      height: 620,
      fill: "#ffd98a",
      opacity: 0.35,
      filter: { blur: 60 },
    },
    keyframes: travels("centerY", 260, 20),
  },
  {
    ...{ type: "shape", shape: "ellipse", width: 250, height: 250, fill: "#fff3cf" },
    keyframes: travels("centerY", 260, 20),
  },
  hill("#b5566f", "M0 190C120 90 210 150 330 110S560 30 680 120S830 160 900 90V400H0Z", 250, 14),
  hill("#7d3f6b", "M0 130C140 210 250 60 400 120S650 220 760 110S860 90 900 120V400H0Z", 390, -30),
  hill("#432a5c", "M0 180C110 60 260 200 420 130S690 60 900 190V400H0Z", 530, 52),
];

/** Draws a clip of footage for readers without one of their own. */
export async function drawClip(api: Client, { projectId, workId }: { projectId: string; workId: string }) {
  const options = { ...size, fps: 25, duration: seconds, quality: "standard" as const };
  const json = { projectId, workId, clips: [], texts: [], images: [], layers, options } as never;
  const response = await api.api.export.$post({ json });
  if (!response.ok) throw new Error(await response.text());
  return await response.arrayBuffer();
}
