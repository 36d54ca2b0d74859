import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { execa } from "execa";
import { findFfmpeg } from "../src/engine/ffmpeg/ffmpeg.ts";
import { readLooks } from "../src/readers/looks/read-looks.ts";
import { register } from "./demo/api.ts";

/**
 * Draws the small moving picture of each look again, from a film of a running service:
 *   bun scripts/draw-looks.ts --url http://127.0.0.1:3000 [NAME…]
 */
const { values, positionals } = parseArgs({ allowPositionals: true, options: { url: { type: "string" } } });
const { url } = values;
if (!url) throw new Error("Usage: bun scripts/draw-looks.ts --url http://127.0.0.1:3000 [NAME…]");

/** The briefs of the pictures. */
const briefs: Readonly<Record<string, string>> = {
  bold: "Grit, a boxing gym in Leeds. Open at five, every day. 24 classes a week. First month £19 instead of £49.",
  craft:
    "Wick & Wild, soy candles poured by hand. Three scents: fig, cedar and sea salt. £18 each at wickandwild.example.",
  editorial:
    "Maison Aubry, wines from seven small vineyards. Picked by hand in October. “The best red of the year.” — Le Monde. From $24 a bottle.",
  luxe: "Aurelle, watches made in forty hours by one person. Sapphire, steel and silence. 120 pieces a year. By appointment at aurelle.example.",
  night:
    "Relay, the app that books your receipts. One photo, no forms. 9 days faster to your money. Free for 30 days at relay.example.",
  pop: "Crunchy, popcorn with too much caramel. Three flavors: salty, sweet and both. Now $3 instead of $5.",
  soft: "Lumora, a serum for tired skin. No perfume, no alcohol. 2 drops a day. $29 at lumora.example.",
  swiss:
    "Foldaway, a folding bike that fits under a desk. It folds in ten seconds. 11 kg light. $890 at foldaway.example.",
};

const folder = join(import.meta.dir, "../src/looks");
const { path: ffmpeg } = await findFfmpeg(process.env.FFMPEG_PATH);
const headers = { authorization: `Bearer ${await register(url)}`, "content-type": "application/json" };
const call = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(url + path, { headers, ...init });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
};
const post = async (path: string, body: object) =>
  await (await call(path, { method: "POST", body: JSON.stringify(body) })).json();

const { id: projectId } = await post("/api/projects", { name: "Looks" });
for (const look of readLooks(folder).looks.keys()) {
  if (positionals.length > 0 && !positionals.includes(look)) continue;
  const text = briefs[look] ?? briefs.swiss;
  const order = { look, brief: { text }, seconds: 9, resolution: { width: 540, height: 960 } };
  const { id } = await post(`/api/projects/${projectId}/films`, order);
  await (await call(`/api/projects/${projectId}/films/${id}/events`)).text();
  const film = join(await mkdtemp(join(tmpdir(), "reelwright-look-")), "film.mp4");
  await Bun.write(film, await call(`/api/projects/${projectId}/films/${id}/file`));
  const output = join(folder, look, "preview.webp");
  const encoding = ["-c:v", "libwebp_anim", "-loop", "0", "-quality", "50", "-compression_level", "6"];
  await execa(ffmpeg, ["-v", "error", "-y", "-i", film, "-vf", "fps=10,scale=216:-2", ...encoding, output]);
  console.log(`${output}: ${Math.round(Bun.file(output).size / 1000)} kB`);
}
