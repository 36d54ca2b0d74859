import { parseArgs } from "node:util";
import { createCanvas, type Image, loadImage } from "@napi-rs/canvas";
import { contentOf } from "../src/domain/templates/library/design.ts";
import { movingPictureOf, pictureOf } from "../src/domain/templates/pictures/picture.ts";
import { drawThumbnail } from "../src/engine/thumbnails/draw.ts";
import { readTemplates } from "../src/readers/templates/read-templates.ts";

/**
 * Draws a sheet of templates of the library: each in three palettes and three formats.
 *   bun scripts/preview-templates.ts [--out sheet.png] [--at 0.4] [--words long|arabic] [--side 200] [NAME…]
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string", default: "templates.png" },
    /** Seconds; at rest by default. */
    at: { type: "string" },
    words: { type: "string" },
    palettes: { type: "string", default: "3" },
    formats: { type: "string", default: "tall,square,wide" },
    side: { type: "string", default: "220" },
    columns: { type: "string", default: "1" },
  },
});

const palettes = [
  {},
  { primary: "#ff5a36", secondary: "#ffd9c9", accent: "#14213d", text: "#1b1b1b", background: "#fff6ef" },
  { primary: "#5b2be0", secondary: "#c9f2e5", accent: "#c6ff3d", text: "#ffffff", background: "#120a2e" },
].slice(0, Number(values.palettes));
const frames = { tall: [1080, 1920], square: [1080, 1080], wide: [1920, 1080] } as const;
const formats = values.formats.split(",").map((name) => {
  const [width, height] = frames[name as keyof typeof frames];
  return { width, height };
});
const sample: Readonly<Record<string, string>> = {
  long: "Donaudampfschifffahrtsgesellschaft für wirklich alle Kundinnen und Kunden",
  arabic: "آلة صنع القهوة مع رغوة الحليب حتى نهاية الشهر",
};
const word = values.words && sample[values.words];

const designs = [...readTemplates(new URL("../src/templates", import.meta.url).pathname).values()];
const shown = designs.filter(({ id }) => positionals.length === 0 || positionals.includes(id));
const side = Number(values.side);
const rows: { id: string; row: Image[] }[] = [];
for (const design of shown) {
  const row: Image[] = [];
  for (const palette of palettes) {
    const ofBlocks = design.blocks ? design.slots.map(({ name }) => [name, name]) : [];
    const direction = values.words === "arabic" ? ("rtl" as const) : ("ltr" as const);
    const filling = { palette, assets: Object.fromEntries(ofBlocks), direction, showsSlots: true };
    const template = { id: design.id, content: contentOf(design, filling) };
    const words = Object.fromEntries(design.placeholders.map(({ key, example }) => [key, word ?? example]));
    for (const canvas of formats) {
      const scale = side / Math.max(canvas.width, canvas.height);
      const size = { width: Math.round(canvas.width * scale), height: Math.round(canvas.height * scale) };
      const still = pictureOf(template, words, [], canvas);
      const moving = movingPictureOf(template, words, [], canvas);
      const { motion, overlays } = values.at === undefined ? { ...still, motion: undefined } : moving;
      const frame = motion && Math.round(motion.start + Number(values.at) * motion.rate.num);
      const one = motion && frame !== undefined && { motion: { ...motion, start: frame, end: frame + 1 } };
      row.push(await loadImage(Buffer.from(await drawThumbnail({ overlays, canvas, size, paths: {}, ...one }))));
    }
  }
  rows.push({ id: design.id, row });
}
const gap = 8;
const label = 16;
const columns = Number(values.columns);
const width = rows[0]!.row.reduce((sum, image) => sum + image.width + gap, gap);
const heightOf = ({ row }: (typeof rows)[number]) => Math.max(...row.map((image) => image.height)) + gap + label;
const perColumn = Math.ceil(rows.length / columns);
const sheet = createCanvas(width * columns, perColumn * heightOf(rows[0]!) + gap);
const context = sheet.getContext("2d");
context.fillStyle = "#777";
context.fillRect(0, 0, sheet.width, sheet.height);
context.font = "12px sans-serif";
for (const [index, each] of rows.entries()) {
  let left = gap + Math.floor(index / perColumn) * width;
  const top = gap + (index % perColumn) * heightOf(each);
  context.fillStyle = "#fff";
  context.fillText(each.id, left, top + 11);
  for (const image of each.row) {
    context.drawImage(image, left, top + label);
    left += image.width + gap;
  }
}
await Bun.write(values.out, await sheet.encode("png"));
console.log(values.out);
process.exit(0);
