import { basename, dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { buildLayout } from "../src/domain/exports/request/resolve.ts";
import { pictureColors, sceneColors } from "../src/domain/films/look/film-look.ts";
import { layoutCard, type SceneDesign } from "../src/domain/films/look/layout-card.ts";
import { sceneLayers } from "../src/domain/films/look/scene-layers.ts";
import { sceneWords } from "../src/domain/films/look/scene-words.ts";
import { openEngine } from "../src/engine/standalone.ts";
import { safeZoneOf } from "../src/engine/timeline/safe-zone.ts";
import { readLook } from "../src/readers/looks/read-looks.ts";

/**
 * Draws a sheet of a look: each layout in four formats.
 *   bun scripts/preview-look.ts FOLDER [--out sheet.png] [--at 1.6] [--palette 0] [--words samples.json]
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string", default: "look.png" },
    at: { type: "string", default: "1.8" },
    palette: { type: "string", default: "0" },
    words: { type: "string" },
    format: { type: "string" },
    scale: { type: "string", default: "0.3" },
    picture: { type: "boolean", default: false },
    photo: { type: "boolean", default: false },
    device: { type: "string" },
  },
});
const [folder] = positionals;
if (!folder) throw new Error("Usage: bun scripts/preview-look.ts FOLDER [--out sheet.png]");

type Samples = {
  readonly name: string;
  readonly price: string;
  readonly address: string;
  readonly scenes: readonly string[];
  readonly call: string;
  readonly subject?: string;
};
const english: Samples = {
  ...{ name: "Foldaway", price: "$890", address: "foldaway.example", call: "Book a test ride" },
  scenes: [
    "The bike that fits under a desk",
    "Folds in eight seconds, without a tool",
    "No more racks, no more locks",
    "It has: a bell, a lock, a lamp",
    "11 kg light",
    "“I take it on every train.” — Ana, Lisbon",
    "Now $890 instead of $1,090",
  ],
};
const samples: Samples = values.words ? await Bun.file(values.words).json() : english;

const formats = { tall: [1080, 1920], portrait: [1080, 1350], square: [1080, 1080], wide: [1920, 1080] } as const;
const engine = await openEngine({ ...(process.env.FFMPEG_PATH && { ffmpegPath: process.env.FFMPEG_PATH }) });
const look = readLook(dirname(resolve(folder)), basename(folder));
const palette = look.palettes[Number(values.palette) % look.palettes.length]!;
const facts = { name: samples.name, price: samples.price, address: samples.address };
const seconds = 3;
const count = samples.scenes.length + 1;
const options = { owner: "preview", signal: new AbortController().signal };

// safe because the layout has these three
const device = values.device as "phone" | "browser" | "laptop" | undefined;
const size = device === "phone" ? { width: 1170, height: 2532 } : { width: 1440, height: 900 };

const scene = async (at: number, [width, height]: readonly [number, number]) => {
  const canvas = { width, height };
  const frame = { canvas, zone: safeZoneOf(canvas) };
  const place = at === 0 ? "opening" : at === count - 1 ? "end" : "middle";
  const said = place === "end" ? samples.call : samples.scenes[at]!;
  const { layout, words } = sceneWords(facts, { text_overlay: said }, place);
  const set = { look, palette };
  const colors = values.picture ? pictureColors(set) : sceneColors(set, at, count);
  const subject = place === "opening" ? samples.subject : undefined;
  const design: SceneDesign = {
    look,
    layout,
    words,
    colors,
    isOnPicture: values.picture,
    turn: at,
    subject,
    ...((values.photo || device) && place !== "end" && { picture: { assetId: "photo", isWhole: false, device, size } }),
  };
  const boxes = await engine.textMeasurer.boxesIn(layoutCard(design, frame), canvas, options);
  const { texts, layers } = sceneLayers(design, frame, boxes, {
    index: at,
    start: at === 0 ? 0 : 10,
    end: (at === 0 ? 0 : 10) + seconds,
    transition: 0,
    leaving: 0,
  });
  const ground = { type: "html", id: "ground", position: 0, end: 20, layer: -10, ...layoutCard(design, frame, "page") };
  const request = {
    clips: [],
    texts: texts.map(({ start, end, overlay }) => ({ ...overlay, position: start, end })),
    images: [],
    layers: [ground, ...layers],
    options: { duration: 20, width, height, ...(values.picture && { background: "#7a8a99" }) },
  };
  const { timeline, errors } = buildLayout(
    request as never,
    { scenes: [], resolution: canvas } as never,
    {
      clips: [],
      images: [],
      fonts: new Map(),
      files: new Map(),
      recordings: { scenes: new Map(), work: undefined },
    } as never,
  );
  if (errors.length > 0) throw errors[0]!;
  const seen = (at === 0 ? 0 : 10) + Number(values.at);
  const scale = Number(values.scale);
  const drawn = { width: 2 * Math.round((width * scale) / 2), height: 2 * Math.round((height * scale) / 2) };
  return await loadImage(
    Buffer.from(
      await engine.frameRenderer.frame(timeline, {
        ...options,
        projectId: "preview",
        quality: "standard",
        frame: Math.round(seen * 30),
        size: drawn,
      } as never),
    ),
  );
};

const names = Object.keys(formats).filter(
  (name) => !values.format || name === values.format,
) as (keyof typeof formats)[];
const rows = [];
for (const name of names)
  rows.push(await Promise.all(Array.from({ length: count }, (_, at) => scene(at, formats[name]))));
const gap = 12;
const width = Math.max(...rows.map((row) => row.reduce((sum, image) => sum + image.width + gap, gap)));
const height = rows.reduce((sum, row) => sum + row[0]!.height + gap, gap);
const sheet = createCanvas(width, height);
const context = sheet.getContext("2d");
context.fillStyle = "#808080";
context.fillRect(0, 0, width, height);
let top = gap;
for (const row of rows) {
  let left = gap;
  for (const image of row) {
    context.drawImage(image, left, top);
    left += image.width + gap;
  }
  top += row[0]!.height + gap;
}
await Bun.write(values.out, await sheet.encode("png"));
console.log(values.out);
process.exit(0);
