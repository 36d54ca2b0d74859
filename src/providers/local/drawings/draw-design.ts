import type { SceneDesign } from "../../../domain/ai/scene-design.ts";
import { cardRenderer } from "../../../engine/html/card.ts";
import { prepareCard } from "../../../engine/html-drawing/draw.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import { paintGrain } from "./grain.ts";

/** Draws the page of a scene as PNG. It has no pictures and no fonts of its own. */
export async function drawDesign(size: Canvas, { html, css, grain }: SceneDesign): Promise<Uint8Array> {
  const content = { kind: "html" as const, html, css, box: { x: 0, y: 0, ...size }, fitsText: false };
  const card = await prepareCard({ ...content, images: {}, fonts: {}, renderer: cardRenderer }, 1, noFiles);
  const canvas = await card.at(0);
  paintGrain(canvas.getContext("2d"), grain);
  return await canvas.encode("png");
}

const notThere = async (): Promise<never> => {
  throw new Error("The page of a scene has no files.");
};

const noFiles = { image: notThere, localPathOf: notThere };
