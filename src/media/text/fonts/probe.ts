import { createCanvas, type FontKey, GlobalFonts, type SKRSContext2D } from "@napi-rs/canvas";
import { bundledFont } from "./bundled.ts";
import { alphabets, eastAsianFamilies, emoji } from "./files.ts";

const maxTableBytes = 64 * 1024 * 1024;

/** Loads a font under `alias`, unless no glyph comes from it: Skia takes broken files and then draws with others. */
export function loadFont(bytes: Buffer, alias: string): FontKey | undefined {
  if (!isWhole(bytes)) return undefined;
  const key = GlobalFonts.register(bytes, alias);
  if (!key) return undefined;
  if (drawsGlyphs(alias)) return key;
  GlobalFonts.remove(key);
  return undefined;
}

/** Skia loads a truncated file as long as its table directory is there. */
function isWhole(bytes: Buffer): boolean {
  if (bytes.length < 48) return false;
  const signature = bytes.toString("latin1", 0, 4);
  if (signature === "wOFF" || signature === "wOF2") {
    return bytes.readUInt32BE(8) === bytes.length && bytes.readUInt32BE(16) <= maxTableBytes;
  }
  const tables = bytes.readUInt16BE(4);
  if (bytes.length < 12 + 16 * tables) return false;
  return Array.from({ length: tables }, (_, index) => 12 + 16 * index).every(
    (entry) => bytes.readUInt32BE(entry + 8) + bytes.readUInt32BE(entry + 12) <= bytes.length,
  );
}

/** Letters of many scripts, and where icon fonts put their pictures. */
const samples = [
  ..."AaeHn08&Я£жΩαאبकกあ漢가ა᠀Աአকਕકକதతಕമකကក©→★✓☺😀",
  ..."\uE000\uE001\uE100\uE800\uE801\uE900\uE901\uEA01\uF000\uF001\uF002\uF015\uF101\uF102\uF500\u{F0001}\u{F0002}",
];

/** A code point that no font maps. */
const unmapped = "\u{10FFFE}";

const families = [...alphabets, ...eastAsianFamilies, emoji];

/**
 * A sample comes from the font when it looks the same whichever fonts stand behind, though these differ or
 * lack it, and when it is not the font's own sign for a missing glyph.
 */
function drawsGlyphs(alias: string): boolean {
  const context = createCanvas(sampleSide, sampleSide).getContext("2d");
  const [light, heavy] = [100, 900].map((weight) =>
    families.map((family) => `"${bundledFont(family, weight)}"`).join(),
  );
  const missing = looks(context, `"${alias}", ${light}`, unmapped);
  return samples.some((sample) => {
    const own = looks(context, `"${alias}", ${light}`, sample);
    if (own === blank || own === missing || own !== looks(context, `"${alias}", ${heavy}`, sample)) return false;
    return own !== looks(context, light!, sample) || own !== looks(context, heavy!, sample);
  });
}

const sampleSide = 48;
const blank = Buffer.alloc(sampleSide * sampleSide * 4).toString("latin1");

function looks(context: SKRSContext2D, fonts: string, sample: string): string {
  context.clearRect(0, 0, sampleSide, sampleSide);
  context.font = `24px ${fonts}`;
  context.fillText(sample, 10, 34);
  return context.canvas.data().toString("latin1");
}
