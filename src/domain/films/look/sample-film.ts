import type { TextMeasurer } from "../../../engine/ports.ts";
import { safeZoneOf } from "../../../engine/timeline/safe-zone.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import type { Look } from "../../looks/looks.ts";
import { sceneColors } from "./film-look.ts";
import { layoutCard, type SceneDesign } from "./layout-card.ts";
import { sceneLayers } from "./scene-layers.ts";
import { placeOf, sceneWords } from "./scene-words.ts";

const facts = { name: "Foldaway", price: "$890", address: "foldaway.example" };

/** Words for each layout. */
const said = [
  "The bike that fits under a desk",
  "It folds without a tool",
  "No more racks, no more locks",
  "Before: an hour in traffic. After: ten minutes by bike.",
  "It has: a bell, a lock, a lamp",
  "1. Fold it 2. Carry it 3. Ride it",
  "11 kg light",
  "“I take it on every train.” — Ana, Lisbon",
  "“Quiet and quick.” 5 stars — Tom, Leeds",
  "Now $890 instead of $1,090",
  "Eight gears and a belt that never needs oil, and lights that charge while you ride",
  "Book a test ride",
];

const sceneSeconds = 3;

/** The scenes of a sheet: a row has `columns` of them. */
export const sampleSheet = { columns: 4, rows: 3 };

type SampleScene = { readonly design: SceneDesign; readonly missing: readonly string[] };

/** A film in which each layout of a look is a scene of its own: layers alone, for an export request. */
export async function sampleFilm(
  measurer: Pick<TextMeasurer, "boxesIn">,
  look: Look,
  canvas: Canvas,
  options: TaskOptions,
) {
  const palette = look.palettes[0]!; // safe because a look has one
  const frame = { canvas, zone: safeZoneOf(canvas) };
  const scenes: SampleScene[] = [];
  const texts: object[] = [];
  const layers: object[] = [];
  for (const [at, text_overlay] of said.entries()) {
    const { layout, words } = sceneWords(facts, { text_overlay }, placeOf(at, said.length));
    const colors = sceneColors({ look, palette }, at, said.length);
    const design = { look, layout, words, colors, isOnPicture: false, turn: at };
    const boxes = await measurer.boxesIn(layoutCard(design, frame), canvas, options);
    const start = at * sceneSeconds;
    const end = start + sceneSeconds;
    const placed = sceneLayers(design, frame, boxes, { index: at, start, end, transition: 0, leaving: 0 });
    const ground = layoutCard(design, frame, "page");
    layers.push({ type: "html", position: start, end, layer: -10, ...ground }, ...placed.layers);
    texts.push(...placed.texts.map((each) => ({ ...each.overlay, position: each.start, end: each.end })));
    const isMissing = (name: string) => words[name] && name !== "initial" && !boxes[name];
    scenes.push({ design, missing: Object.keys(words).filter(isMissing) });
  }
  return {
    scenes,
    request: { clips: [], texts, layers, options: { duration: said.length * sceneSeconds, ...canvas } },
  };
}
