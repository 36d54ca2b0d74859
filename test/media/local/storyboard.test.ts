import { expect, test } from "bun:test";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import fc from "fast-check";
import { paintCaption } from "../../../src/media/local/caption.ts";
import { contrast, css, schemesOf } from "../../../src/media/local/colors.ts";
import { stageOf } from "../../../src/media/local/stage.ts";
import { drawFrame } from "../../../src/media/local/storyboard.ts";
import { wordsOf } from "../../../src/media/local/words.ts";
import type { Color } from "../../../src/timeline/overlay.ts";
import { Pixels } from "../../helpers/drawn.ts";

const wish = {
  resolution: { width: 108, height: 192 },
  prompt: "A cup on a wooden table",
  avoid: "",
  palette: ["#ff6b35", "#fff8f0", "#1b1b3a"],
  tone: "",
};

const drawn = (changes: Partial<typeof wish> = {}) =>
  drawFrame({ ...wish, ...changes }, new AbortController().signal).then((bytes) => Buffer.from(bytes));

const longPrompt = "A cinematic close-up of the mug, while steam curls upward through golden light, ".repeat(8);

test("the same wishes give the same bytes, and other words another picture", async () => {
  const [first, again, other] = [await drawn(), await drawn(), await drawn({ prompt: "A cup on a wooden chair" })];
  expect(again.equals(first)).toBe(true);
  expect(other.equals(first)).toBe(false);
});

test.each([
  [16, 16],
  [64, 64],
  [4096, 16],
  [16, 1024],
  [320, 180],
])("a frame of %i × %i pixels has this size", async (width, height) => {
  const image = await loadImage(await drawn({ resolution: { width, height }, prompt: longPrompt }));
  expect([image.width, image.height]).toEqual([width, height]);
});

test("every composition is painted all over, in soft tones and in lively ones", async () => {
  for (const tone of ["calm", "energetic", ""]) {
    for (const prompt of Array.from({ length: 16 }, (_, index) => `Scene ${index}`)) {
      const image = await loadImage(await drawn({ tone, prompt }));
      const context = createCanvas(image.width, image.height).getContext("2d");
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      expect(data.every((value, index) => index % 4 !== 3 || value === 255)).toBe(true);
    }
  }
});

test("colors that are none are left out, and without any there are some of our own", async () => {
  const [none, unusable] = [await drawn({ palette: [] }), await drawn({ palette: ["nonsense", "transparent", ""] })];
  expect(unusable.equals(none)).toBe(true);
  const [clean, mixed] = [await drawn(), await drawn({ palette: ["currentColor", ...wish.palette] })];
  expect(mixed.equals(clean)).toBe(true);
});

test("a drawing that is called off ends with its reason", async () => {
  const signal = AbortSignal.abort(new Error("called off"));
  await expect(drawFrame(wish, signal)).rejects.toThrow("called off");
});

const anyColor = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`);

test("every scheme of any palette has a floor on which its own colors can be read", () => {
  fc.assert(
    fc.property(fc.array(anyColor, { minLength: 1, maxLength: 4 }), (palette) => {
      for (const { floor, dark, light } of schemesOf(palette)) {
        expect(Math.max(contrast(floor, dark), contrast(floor, light))).toBeGreaterThan(4.5);
      }
    }),
    { numRuns: 300 },
  );
});

const scheme = schemesOf(wish.palette)[0]!;

/** What a caption leaves on a ground. */
async function caption(words: string, size: typeof wish.resolution, ground: readonly string[] = []) {
  const context = createCanvas(size.width, size.height).getContext("2d");
  for (const [index, color] of ground.entries()) {
    context.fillStyle = color;
    context.fillRect((index * size.width) / 16, 0, size.width, size.height);
  }
  await paintCaption(context, stageOf(size), scheme, wordsOf(words));
  return new Pixels(context.getImageData(0, 0, size.width, size.height).data, size.width);
}

test.each([
  ["words with a name", "Extreme close-up: a mug on a table while the steam curls upward. Light: golden."],
  ["short words", "Three little words"],
  ["600 characters", longPrompt],
  ["one endless word", "Donaudampfschifffahrt".repeat(20)],
  ["Arabic", "قهوة الصباح الطازجة تُسكب ببطء في فنجان أبيض على طاولة خشبية"],
  ["Chinese", "清晨的阳光照在新鲜的咖啡豆上,蒸汽缓缓升起".repeat(4)],
  ["Hindi", "ताज़ी कॉफ़ी की सुबह, लकड़ी की मेज़ पर भाप उठती हुई"],
  ["emoji", "Launch day 🚀 with ☕️ and 👩🏽‍💻 friends"],
])("a caption of %s lies whole inside its place", async (_, words) => {
  for (const size of [
    { width: 270, height: 480 },
    { width: 480, height: 270 },
  ]) {
    const pixels = await caption(words, size);
    const { caption: place } = stageOf(size);
    const [middle, ink] = [pixels.middle, pixels.size];
    expect(ink.height).toBeGreaterThan(8);
    expect(middle.x - ink.width / 2).toBeGreaterThan(0.12 * size.width);
    expect(middle.x + ink.width / 2).toBeLessThan(0.88 * size.width);
    expect(middle.y - ink.height / 2).toBeGreaterThan(place.y - 2);
    expect(middle.y + ink.height / 2).toBeLessThan(place.y + place.height + 2);
  }
});

test("a caption has the first sentences of a long prompt, and the name of its framing apart", () => {
  const prompt =
    "Hero shot at eye level: a mug on a table. Light: low, warm light from the left. Mood: calm, and more so.";
  const [label, caption] = [
    "Hero shot at eye level",
    "A mug on a table. Light: low, warm light from the left. Mood: calm, and more so.",
  ];
  expect(wordsOf(prompt)).toEqual({ label, caption });
  const longer = `${prompt} ${"Shallow depth of field, the background dissolved into soft discs of light. ".repeat(5)}`;
  expect(wordsOf(longer)).toEqual({ label, caption });
  expect(wordsOf("قهوة on a table, alone").caption).toStartWith("\u200e");
  expect(wordsOf("☕️ 🚀")).toEqual({ label: "", caption: "☕️ 🚀" });
});

test("a caption of nothing leaves nothing", async () => {
  expect((await caption(" \n ", wish.resolution)).ink).toBe(0);
});

const colorAt = (pixels: Pixels, x: number, y: number): Color => {
  const [red, green, blue] = pixels.at(x, y);
  return { red: red!, green: green!, blue: blue!, alpha: 1 };
};

test.each(["#ff6b35", "#1b1b3a", "#fff8f0", "#808080", "#00ff00"])("a caption can be read on %s", async (color) => {
  const size = { width: 270, height: 480 };
  const pixels = await caption("MMMM", size, [color]);
  const { x, y } = stageOf(size).caption;
  // the bar above the words has their color
  const [ink, ground] = [colorAt(pixels, Math.ceil(x) + 2, Math.ceil(y)), colorAt(pixels, 0, 0)];
  expect(contrast(ink, ground)).toBeGreaterThan(4.5);
});

test("on a ground of many colors the words get a card of their own", async () => {
  const size = { width: 270, height: 480 };
  const stripes = Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? "#000000" : "#ffffff"));
  const [plain, striped] = [await caption("MMMM", size), await caption("MMMM", size, stripes)];
  const { x, y } = plain.middle;
  const card = colorAt(striped, Math.round(x - plain.size.width / 2 - 3), Math.round(y + 4));
  expect(css(card)).toBe(css(scheme.dark));
});
