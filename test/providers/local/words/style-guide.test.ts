import { expect, test } from "bun:test";
import { StyleGuideOutput } from "../../../../src/domain/ai/output-schemas.ts";
import { normalizeStyleGuide } from "../../../../src/domain/ai/style-guide/style-guide.ts";
import type { StyleGuide } from "../../../../src/domain/projects/projects.ts";
import { findColors } from "../../../../src/providers/local/words/colors.ts";
import { styleGuideByRules } from "../../../../src/providers/local/words/style-guide.ts";

const brand = `Title: Nordlicht Coffee – Fresh from the roaster
Description: Small-batch coffee, roasted on Mondays.
Colors: #14213d, #fca311

We are warm, honest and a little playful. Our colors are #14213D and rgb(252 163 17).
Cuts are quick. The camera stays close, handheld, near the hands.
Our voice is plain: we speak to you like a neighbor.
Always show the paper bag, a steaming cup. Never show plastic cups, stock smiles or neon.
Made for people who get up early.`;

test("extracts tone, colors, tempo, camera style, voice, lists and product", () => {
  expect(styleGuideByRules(brand)).toEqual({
    style_guide: {
      tone: "warm, honest, playful",
      color_palette: ["#14213d", "#fca311"],
      tempo: "fast",
      camera_style: "The camera stays close, handheld, near the hands.",
      brand_voice: "Our voice is plain: we speak to you like a neighbor.",
      must_include: ["paper bag", "a steaming cup"],
      must_avoid: ["plastic cups", "stock smiles", "neon"],
    },
    product: {
      name: "Nordlicht Coffee",
      description: "Small-batch coffee, roasted on Mondays.",
      target_audience: "people who get up early",
    },
  });
});

test("guesses neither tempo nor voice from the writing", () => {
  const short = "You wake up early. You want real bread. Your baker is here.";
  const { style_guide } = styleGuideByRules(short);
  expect([style_guide.tempo, style_guide.brand_voice]).toEqual(["", ""]);
});

test("reads color names only in a text without CSS colors", () => {
  expect(findColors("Blue walls, a blue door, white sand")).toEqual(["#0000ff", "#ffffff"]);
  expect(findColors("Blue walls, #ff0000")).toEqual(["#ff0000"]);
});

test("reads 2,000 lines and as many sentences of a long text", () => {
  const toneAfter = (text: string) => styleGuideByRules(`${text}\nTone: warm`).style_guide.tone;
  expect([toneAfter("- a\n".repeat(1990)), toneAfter("- a\n".repeat(2010))]).toEqual(["warm", ""]);
  expect([toneAfter("Aha. ".repeat(1990)), toneAfter("Aha. ".repeat(2010))]).toEqual(["warm", ""]);
});

test("returns empty fields for a text without facts, and a valid result for any text", () => {
  const { style_guide } = styleGuideByRules("Hm");
  expect([style_guide.tone, style_guide.tempo, style_guide.color_palette]).toEqual(["", "", []]);
  for (const text of [
    "",
    "\u0000",
    "a".repeat(200_000),
    "never ".repeat(20_000),
    "🙂\n".repeat(5000),
    "no, or ".repeat(9000),
  ]) {
    expect(StyleGuideOutput.safeParse(styleGuideByRules(text)).success).toBe(true);
  }
});

const texts: readonly { readonly name: string; readonly text: string; readonly expected: StyleGuide }[] = [
  {
    name: "English: labels without colons, in one paragraph",
    text: "Tone warm and honest, tempo medium. Camera handheld, close. Always show the paper bag. never show plastic cups",
    expected: {
      tone: "warm, honest",
      tempo: "medium",
      camera_style: "Camera handheld, close.",
      must_include: ["paper bag"],
      must_avoid: ["plastic cups"],
    },
  },
  {
    name: "English: a brief with headings DO and DON'T",
    text: `BRAND FILM – SUNDAY BAKERY

Tone: friendly, down-to-earth, never salesy
Pace: slow
Colours: #F4E3C1, #7B3F00

DO
- Show hands kneading dough
- Use natural light
- Logo in the last scene

DON'T
- stock footage
- No drone shots
- show prices!!`,
    expected: {
      tone: "friendly, down-to-earth",
      tempo: "slow",
      color_palette: ["#f4e3c1", "#7b3f00"],
      must_include: ["hands kneading dough", "natural light", "Logo in the last scene"],
      must_avoid: ["salesy", "stock footage", "drone shots", "prices"],
    },
  },
  {
    name: "English: one line",
    text: "calm and minimal, lots of white space, no people",
    expected: { tone: "calm, minimal", must_avoid: ["people"] },
  },
  {
    name: "English: fields with careless punctuation",
    text: `TONE : Playful ,bold
TEMPO :FAST
voice= cheeky, first person
COLORS;  #ff5733 , #33C3FF,#ffd700
MUST INCLUDE : logo , product shot
Must avoid:dark mood , text clutter`,
    expected: {
      tone: "Playful, bold",
      tempo: "fast",
      brand_voice: "cheeky, first person",
      color_palette: ["#ff5733", "#33c3ff", "#ffd700"],
      must_include: ["logo", "product shot"],
      must_avoid: ["dark mood", "text clutter"],
    },
  },
  {
    name: "English: a company text that says nothing about style",
    text: "Nordlicht Coffee GmbH was founded in 2011. We deliver fast: orders before noon arrive the next day. Our slow-roasted green beans come from farms in Peru that never use pesticides. Without a subscription there is no minimum order.",
    expected: {},
  },
  {
    name: "English: obligations as full sentences",
    text: "The logo must be visible in every scene. Every film should show real customers and the app screen. Under no circumstances should we see competitor logos, alcohol or cigarettes. The camera is static; wide shots. Speak formally, in the third person.",
    expected: {
      camera_style: "The camera is static; wide shots.",
      brand_voice: "Speak formally, in the third person.",
      must_include: ["logo in every scene", "real customers", "app screen"],
      must_avoid: ["competitor logos", "alcohol", "cigarettes"],
    },
  },
  {
    name: "English: fields as bullets",
    text: `- tone: understated, expert
- tempo: slow to medium
- palette: #1B4332 #40916C #D8F3DC
- cam: locked-off, eye level
- always: packshot last 2 sec
- never: discount stickers; exclamation marks`,
    expected: {
      tone: "understated, expert",
      tempo: "medium",
      color_palette: ["#1b4332", "#40916c", "#d8f3dc"],
      camera_style: "locked-off, eye level",
      must_include: ["packshot last 2 sec"],
      must_avoid: ["discount stickers", "exclamation marks"],
    },
  },
  {
    name: "English: a paragraph about an organisation",
    text: "Our organisation helps refugees learn to code. Films about us should be hopeful and never pitying. Faces only with consent: never show children's faces. The pace is calm. Logo and donation link must appear at the end. Our colours are teal and orange.",
    expected: {
      tone: "hopeful",
      tempo: "slow",
      color_palette: ["#008080", "#ffa500"],
      must_include: ["Logo", "donation link at the end"],
      must_avoid: ["pitying", "children's faces"],
    },
  },
  {
    name: "English: the manual of a product",
    text: "The UltraFix drill is fast, quiet and never overheats. Comes in black, red and blue. You should always wear goggles. Avoid contact with water. Do not use near children.",
    expected: {},
  },
  {
    name: "English: bullets under MUST and MUST NOT",
    text: "MUST\n• price tag visible\n• store address\nMUST NOT\n• models smiling at the camera\n• more than 2 fonts\n\nEditing: medium tempo",
    expected: {
      tempo: "medium",
      must_include: ["price tag visible", "store address"],
      must_avoid: ["models smiling at the camera", "more than 2 fonts"],
    },
  },
  {
    name: "German: Markdown headings and numbered lists",
    text: `## Tonalität
Sachlich, präzise, vertrauenswürdig – aber nicht langweilig.

## Kamera
Ruhige Fahrten, keine Wackelkamera.

## Muss rein
1. Prüfsiegel
2. Werkstatt in Jena

## Darf nicht rein
1. Preise
2. Namen von Kunden`,
    expected: {
      tone: "Sachlich, präzise, vertrauenswürdig",
      camera_style: "Ruhige Fahrten",
      must_include: ["Prüfsiegel", "Werkstatt in Jena"],
      must_avoid: ["langweilig", "Wackelkamera", "Preise", "Namen von Kunden"],
    },
  },
  {
    name: "German: a company text that says nothing about style",
    text: "Wir liefern schnell und ohne Versandkosten. Unsere langsam gereiften Käse kommen aus dem Allgäu. Es gibt keine Mindestbestellmenge. Bestellungen müssen bis 12 Uhr eingehen.",
    expected: {},
  },
  {
    name: "German: fields in capitals",
    text: `TONALITÄT: ernst, respektvoll
TEMPO: langsam bis mittel
KAMERA: dokumentarisch, keine Inszenierung
FARBEN: gedeckte Töne, #3A3A3A + #8D99AE
PFLICHT: Quellenangabe, Logo unten rechts
VERBOTEN: Blut, Gesichter von Opfern, Spekulation`,
    expected: {
      tone: "ernst, respektvoll",
      tempo: "medium",
      color_palette: ["#3a3a3a", "#8d99ae"],
      camera_style: "dokumentarisch",
      must_include: ["Quellenangabe", "Logo unten rechts"],
      must_avoid: ["Inszenierung", "Blut", "Gesichter von Opfern", "Spekulation"],
    },
  },
  {
    name: "Spanish: bullets under SÍ and NO",
    text: "SÍ\n- gente real\n- luz natural\nNO\n- fotos de stock\n- textos largos",
    expected: { must_include: ["gente real", "luz natural"], must_avoid: ["fotos de stock", "textos largos"] },
  },
  {
    name: "Spanish: fields in capitals",
    text: `TONO: sobrio, institucional
RITMO: lento
CÁMARA: trípode, planos generales
VOZ: usted, frases completas
OBLIGATORIO: escudo, subtítulos
PROHIBIDO: humor, emojis, música con letra`,
    expected: {
      tone: "sobrio, institucional",
      tempo: "slow",
      camera_style: "trípode, planos generales",
      brand_voice: "usted, frases completas",
      must_include: ["escudo", "subtítulos"],
      must_avoid: ["humor", "emojis", "música con letra"],
    },
  },
  {
    name: "Spanish: the page of a bicycle maker",
    text: "Fabricamos bicicletas desde 1990. Son rápidas, ligeras y nunca se oxidan. Disponibles en rojo y negro. No incluye pedales. Evite la exposición al sol.",
    expected: {},
  },
];

test.each([...texts])("$name: the style guide has what the text says and nothing else", ({ text, expected }) => {
  expect(normalizeStyleGuide(styleGuideByRules(text))).toEqual(expected);
});
