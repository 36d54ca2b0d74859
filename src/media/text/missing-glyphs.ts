import { setImmediate } from "node:timers/promises";
import { createCanvas } from "@napi-rs/canvas";
import type { TextFont } from "./fonts/fonts.ts";
import { applyFonts } from "./layout.ts";

/** Blank by nature, or only the look of what stands before it. */
const unseen = /^[\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}]$/u;

/** Our own fonts, which stand behind every other, have these. */
const surelyThere = /^[ -~]$/;

/** A code point that is no character, so no font has it. */
const unmapped = "\u{10FFFE}";

const side = 48;
const context = createCanvas(side, side).getContext("2d");

/** Which characters fonts have, by the fonts. */
const known = new Map<string, Map<string, boolean>>();
const most = { fonts: 100, characters: 20_000 };

/** So many are looked at before others have their turn. */
const atATime = 100;

/** The characters of a text for which every font, the system's too, draws its sign for a missing glyph. */
export async function missingGlyphs(text: string, fonts: TextFont): Promise<readonly string[]> {
  const answers = answersFor(fonts);
  let looked = 0;
  for (const character of new Set(text)) {
    if (surelyThere.test(character) || unseen.test(character) || answers.has(character)) continue;
    answers.set(character, looks(character, fonts) === looks(unmapped, fonts));
    looked++;
    if (looked % atATime === 0) await setImmediate();
  }
  const missing = [...new Set(text)].filter((character) => answers.get(character));
  if (answers.size > most.characters) answers.clear();
  return missing;
}

function answersFor(fonts: TextFont): Map<string, boolean> {
  const name = JSON.stringify(fonts);
  const answers = known.get(name) ?? new Map<string, boolean>();
  if (known.size >= most.fonts) known.clear();
  known.set(name, answers);
  return answers;
}

function looks(character: string, fonts: TextFont): string {
  context.clearRect(0, 0, side, side);
  applyFonts(context, { fontSize: side / 2, letterSpacing: 0 }, fonts);
  context.direction = "ltr";
  context.fillText(character, side / 4, (side * 2) / 3);
  return context.canvas.data().toString("latin1");
}
