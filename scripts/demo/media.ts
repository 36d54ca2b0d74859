import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCanvas } from "@napi-rs/canvas";
import { composeMusic } from "./music.ts";

/** What a video needs beside generated scenes, in a temporary folder. */
export type DemoMedia = {
  readonly folder: string;
  readonly music: string;
  readonly font: string;
  readonly logo: string;
};

export async function createMedia(palette: readonly string[]): Promise<DemoMedia> {
  const folder = await mkdtemp(join(tmpdir(), "reelwright-demo-"));
  const music = join(folder, "music.wav");
  await Bun.write(music, composeMusic());
  const font = new URL(import.meta.resolve("@expo-google-fonts/inter/800ExtraBold/Inter_800ExtraBold.ttf")).pathname;
  const logo = join(folder, "logo.png");
  await Bun.write(logo, drawLogo(palette));
  return { folder, music, font, logo };
}

/** A sun that rises behind a horizon, in a disc of the first color. */
function drawLogo([disc = "#ff6b35", sun = "#fff8f0"]: readonly string[]): Uint8Array {
  const side = 480;
  const canvas = createCanvas(side, side);
  const context = canvas.getContext("2d");
  const circle = (radius: number, y = 0.5) => {
    context.beginPath();
    context.arc(side / 2, side * y, side * radius, 0, 2 * Math.PI);
  };
  context.fillStyle = sun;
  circle(0.49);
  context.fill();
  context.fillStyle = disc;
  circle(0.455);
  context.fill();
  context.beginPath();
  context.rect(0, 0, side, side * 0.58);
  context.clip();
  context.fillStyle = sun;
  circle(0.17, 0.58);
  context.fill();
  context.strokeStyle = sun;
  context.lineCap = "round";
  context.lineWidth = side * 0.045;
  for (const turn of [0.1, 0.3, 0.5, 0.7, 0.9]) {
    const [x, y] = [-Math.cos(turn * Math.PI), -Math.sin(turn * Math.PI)];
    context.beginPath();
    context.moveTo(side * (0.5 + 0.23 * x), side * (0.56 + 0.23 * y));
    context.lineTo(side * (0.5 + 0.31 * x), side * (0.56 + 0.31 * y));
    context.stroke();
  }
  return canvas.toBuffer("image/png");
}
