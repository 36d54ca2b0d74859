import { expect, test } from "bun:test";
import { amountIn } from "../../../src/domain/films/look/amounts.ts";
import { drawableIn, sceneColors } from "../../../src/domain/films/look/design.ts";
import { figureIn, listIn, piecesOf, titleOf } from "../../../src/domain/films/look/layouts.ts";
import { balancedLines, emsOf, setLarge } from "../../../src/domain/films/look/lines.ts";
import { filmPalette } from "../../../src/domain/films/look/palette.ts";
import { settledLines, titleFrame } from "../../../src/domain/films/look/titles.ts";
import { sceneWords } from "../../../src/domain/films/look/words.ts";
import { placeBox } from "../../../src/engine/timeline/place.ts";
import { safeZoneOf } from "../../../src/engine/timeline/safe-zone.ts";
import { contrastRatio, parseColor } from "../../../src/platform/colors.ts";

const contrast = (one: string, other: string) => contrastRatio(parseColor(one)!, parseColor(other)!);

test.each([
  [["#0b6e4f", "#f4d35e", "#fdfaf3"]],
  [["#777777"]],
  [["#ffffff"]],
  [["#000000", "#ff0000"]],
  [["#ff6b35", "#fff8f0", "#1b1b3a"]],
  [["#808000", "#7f7f00", "#888"]],
  [[]],
  [["no color", "#12"]],
])("words are readable on every ground of the palette %p", (color_palette) => {
  const palette = filmPalette({ color_palette }, "Velo Nord");
  for (const scene of [0, 1, 2, 3, 4, 5]) {
    const { ground, ink, emphasis } = sceneColors(palette, scene, 6);
    expect(contrast(ground, ink)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(ground, emphasis)).toBeGreaterThanOrEqual(3);
  }
});

test.each([
  ["Sunrise Coffee", "Roasted this morning.", "cup"],
  ["قهوة الصباح", "", "cup"],
  ["Lumora", "A serum that smells of rain.", "bottle"],
  ["Foldaway", "A folding bike that fits under a desk.", undefined],
  ["Trail Bottle", "A steel bottle for the trail.", "bottle"],
  ["Trinkflasche Nord", "Hält 24 Stunden kalt.", "bottle"],
  ["Gourde Nord", "", "bottle"],
  ["Botella Norte", "", "bottle"],
  ["Kaffeebecher Nord", "", "cup"],
  ["Nord", "Zwei Tassen aus Porzellan.", "cup"],
  ["Trail Cup", "", "cup"],
  ["Flaschenregal Nord", "Für zwölf Flaschen.", undefined],
  ["Wärmflasche Nord", "", undefined],
  ["Aschenbecher Nord", "", undefined],
  ["World Cup Guide", "", undefined],
  ["Oak & Co", "A coffee table made of oak.", undefined],
  ["Nord", "Platform shoes for the city.", undefined],
] as const)("%s is drawn only if there is a drawing of it", (name, description, drawable) => {
  expect(drawableIn(name, description)).toBe(drawable as never);
});

test("lines are of about equal length, and break no word", () => {
  expect(balancedLines("It folds in ten seconds.", 3)).toEqual(["It folds", "in ten seconds."]);
  expect(balancedLines("Wort", 3)).toEqual(["Wort"]);
  expect(balancedLines("机の下に入る折りたたみ自転車です。", 2).join("")).toBe("机の下に入る折りたたみ自転車です。");
  expect(balancedLines("", 2)).toEqual([]);
});

test.each([
  ["Akku für 80 Kilometer.", ["Akku", "für 80 Kilometer."]],
  ["Nur 9,8 Kilo leicht.", ["Nur 9,8 Kilo", "leicht."]],
  ["Carry it onto the train.", ["Carry it", "onto the train."]],
  ["نخبز كل صباح قبل السادسة.", ["نخبز كل صباح", "قبل السادسة."]],
  ["Für Pendler in Hamburg.", ["Für Pendler", "in Hamburg."]],
])(
  "%s is set with its numbers beside what they count, and without a short word on a line of its own",
  (text, lines) => {
    expect(setLarge(text, { width: 768, height: 780, maxLines: 5, maxFontSize: 168 }).lines).toEqual(lines);
  },
);

test("a text is set smaller the longer it is, and inside its room", () => {
  const room = { width: 768, height: 780, maxLines: 5, maxFontSize: 200 };
  const [short, long] = [setLarge("Fast", room), setLarge("A sentence with many words in it ".repeat(5).trim(), room)];
  expect(short.fontSize).toBe(200);
  expect(long.fontSize).toBeLessThan(short.fontSize);
  expect(long.fontSize * long.lines.length).toBeLessThanOrEqual(room.height);
});

test("lines of a Japanese sentence break after its phrases", () => {
  expect(balancedLines("夜は源泉かけ流しの湯宿に泊まります。", 3)).toEqual([
    "夜は源泉かけ流しの",
    "湯宿に泊まります。",
  ]);
  expect(balancedLines("一人48,000円から。", 2)).toEqual(["一人48,000円から。"]);
  expect(balancedLines("コーヒーによく泡立ちます。", 2)).toEqual(["コーヒーに", "よく泡立ちます。"]);
  expect(balancedLines("砂糖は使っていません。", 2)).toEqual(["砂糖は", "使っていません。"]);
  expect(balancedLines("レジャリー", 2)).toEqual(["レジャリー"]);
  expect(balancedLines("1本298円", 2)).toEqual(["1本", "298円"]);
});

test("no short word stands alone between lines", () => {
  expect(balancedLines("Courses for beginners every evening.", 4)).not.toContain("every");
  expect(balancedLines("Termine auch samstags.", 3)).toEqual(["Termine auch", "samstags."]);
  expect(balancedLines("وزنها 9 كيلوغرامات فقط.", 3).at(-1)).not.toBe("فقط.");
  expect(balancedLines("Velo Nord", 2)).toEqual(["Velo", "Nord"]);
});

test("the line with a number has the color of what matters", () => {
  const room = { width: 500, height: 780, maxLines: 5, maxFontSize: 168 };
  const look = { ink: "#000000", emphasis: "#ff0000", start: 0, gap: 0 };
  const lines = settledLines("Weighs just 9.8 kilos.", room, look);
  expect(lines.filter((line) => line.look.fontColor === "#ff0000").map(({ text }) => text)).toEqual(["9.8 kilos."]);
});

test("a logo stands on a light ground, and the call beside it has the brand's colors", () => {
  const palette = filmPalette({ color_palette: ["#123456", "#ffcc00"] }, "Nordlicht");
  const { ground, emphasis, onEmphasis } = sceneColors(palette, 3, 4, true);
  expect([ground, emphasis, onEmphasis]).toEqual([palette.light, "#123456", "#ffcc00"]);
});

test("the mark is readable on its disc", () => {
  for (const color_palette of [["#0aa6a6", "#ff7d6b", "#ffffff"], ["#ff6b35", "#fff8f0", "#1b1b3a"], ["#777777"]]) {
    const { shape, onShape } = sceneColors(filmPalette({ color_palette }, "Volt"), 3, 4);
    expect(contrast(shape, onShape)).toBeGreaterThanOrEqual(3);
  }
});

const film = {
  ...{ name: "Foldaway", address: "foldaway.example", price: "$890" },
  ...{ onPictures: false, isCaptioned: false, hasObject: true, isShared: false, isLabelled: false },
};
const scene = {
  ...{ scene_index: 0, duration_seconds: 4, image_prompt: "", negative_prompt: "", video_prompt: "" },
  ...{ text_overlay: "Order now", transition: "cut" as const },
};
const colors = sceneColors(filmPalette(undefined, "Foldaway"), 0, 4);

test.each([
  [{ width: 1080, height: 1920 }],
  [{ width: 1080, height: 1080 }],
  [{ width: 1920, height: 1080 }],
  [{ width: 90, height: 160 }],
])("the words of all scenes lie in the safe zone of %p", (canvas) => {
  const frame = titleFrame(canvas);
  const zone = safeZoneOf(canvas);
  const films = [film, { ...film, hasObject: false }, { ...film, onPictures: true, isShared: true, isLabelled: true }];
  for (const [place, shown] of (["opening", "middle", "end"] as const).flatMap((each) =>
    films.map((one) => [each, one] as const),
  )) {
    const placed = sceneWords(frame, shown, { scene, place, index: 0, start: 0, end: 4, colors });
    expect(placed.length).toBeGreaterThan(0);
    for (const { overlay } of placed) {
      const { centerX, centerY, maxWidth, maxHeight, padding = 0 } = overlay as Record<string, number>;
      const [x, y] = [canvas.width / 2 + centerX!, canvas.height / 2 + centerY!];
      const [halfWidth, halfHeight] = [maxWidth! / 2 + padding, maxHeight! / 2 + padding];
      expect(x - halfWidth).toBeGreaterThanOrEqual(zone.x - 1);
      expect(x + halfWidth).toBeLessThanOrEqual(zone.x + zone.width + 1);
      expect(y - halfHeight).toBeGreaterThanOrEqual(zone.y - 1);
      expect(y + halfHeight).toBeLessThanOrEqual(zone.y + zone.height + 1);
    }
  }
});

test.each([
  { width: 1080, height: 1920 },
  { width: 1080, height: 1080 },
  { width: 1920, height: 1080 },
])("a card with many words is set smaller, inside the safe zone of %p", (canvas) => {
  const frame = titleFrame(canvas);
  const { zone } = frame;
  const long = { ...film, name: "Imkerei Sonnleitner", price: "Ab 8,90 € im Jahr", address: "sonnleitner.example" };
  const call = { ...scene, text_overlay: "Überzeug dich selbst." };
  const placed = sceneWords(frame, long, { scene: call, place: "end", index: 3, start: 8, end: 12, colors });
  const edges = placed.flatMap(({ overlay }) => {
    const { centerY, maxHeight, padding = 0 } = overlay as Record<string, number>;
    const half = maxHeight! / 2 + padding;
    return [canvas.height / 2 + centerY! - half, canvas.height / 2 + centerY! + half];
  });
  expect(Math.min(...edges)).toBeGreaterThanOrEqual(zone.y - 1);
  expect(Math.max(...edges)).toBeLessThanOrEqual(zone.y + zone.height + 1);
});

test("the last scene is a card with name, call, price and address", () => {
  const shown = { scene, place: "end" as const, index: 3, start: 8, end: 12, colors };
  const texts = sceneWords(titleFrame({ width: 1080, height: 1920 }), film, shown).map(({ overlay }) => overlay.text);
  expect(texts).toEqual(["⬤", "F", "Foldaway", "$890", "Order now", "foldaway.example"]);
});

test.each([0.5, 0.9, 1.2, 3])("in a scene of %d s all words are seen", (seconds) => {
  const frame = titleFrame({ width: 1080, height: 1920 });
  const logo = { assetId: "asset_1", ratio: 2 };
  for (const place of ["opening", "middle", "end"] as const) {
    const shown = { scene, place, index: 1, start: 4, end: 4 + seconds, colors };
    for (const each of [film, { ...film, logo }, { ...film, onPictures: true }]) {
      for (const { start, end } of sceneWords(frame, each, shown)) {
        expect(start).toBeGreaterThanOrEqual(4);
        expect(end - start).toBeGreaterThan(0.09);
      }
    }
  }
});

test.each([
  [
    "E-invoicing formats included: Peppol, XRechnung, Factur-X.",
    { heading: "E-invoicing formats included", items: ["Peppol", "XRechnung", "Factur-X"] },
  ],
  ["ثلاثة مكونات فقط: دقيق وماء وملح", { heading: "ثلاثة مكونات فقط", items: ["دقيق", "ماء", "ملح"] }],
  ["一回45分、先生は一人、生徒も一人", { heading: "", items: ["一回45分", "先生は一人", "生徒も一人"] }],
  ["One call creates, sends and reconciles an invoice in 46 countries", undefined],
  [
    "Carry it onto the train, up the stairs, or under your desk",
    { heading: "Carry it", items: ["onto the train", "up the stairs", "under your desk"] },
  ],
  ["It shows wave height, wind and tide", { heading: "It shows", items: ["wave height", "wind", "tide"] }],
  ["色は緑、黄、白の三色", undefined],
])("%s is a list, or none", (text, list) => {
  expect(listIn(titleOf(text))).toEqual(list as never);
});

test.each([
  ["Im Schnitt 1.095 € zurück", ["Im Schnitt", "1.095 €", "zurück"]],
  ["99.99% uptime", ["", "99.99%", "uptime"]],
  ["نخمّر العجين 36 ساعة", ["نخمّر العجين", "36", "ساعة"]],
  ["30日間無料", ["", "30日間", "無料"]],
  ["重さはわずか180グラム", ["重さはわずか", "180グラム", ""]],
  ["風速20メートルまで耐えます", ["風速", "20メートルまで", "耐えます"]],
  ["14 Mill Lane, Leeds", undefined],
  ["Mühlweg 14 in Freiburg", undefined],
  ["From 8 to 80 years", undefined],
  ["It folds in ten seconds", undefined],
])("the number that %s is about", (text, parts) => {
  const { before, number, after } = figureIn(text) ?? {};
  expect(parts ?? [undefined, undefined, undefined]).toEqual([before, number, after] as never);
});

test("a text that is set keeps its words in their order, inside its room", () => {
  const words =
    "fast, Größe 9.8 kg und leicht: für Pendler; 折りたたみ 自転車 なし 36 ساعة كل صباح and under a desk".split(" ");
  const room = { width: 768, height: 540, maxLines: 6, maxFontSize: 180 };
  const letters = (text: string) => text.replaceAll(/[^\p{L}\p{N}%€]/gu, "");
  for (let seed = 1; seed < 400; seed += 4) {
    const count = 1 + (seed % 11);
    const text = Array.from(
      { length: count },
      (_, at) => words[(seed * 7 + at * (1 + (seed % 5))) % words.length],
    ).join(" ");
    const pieces = piecesOf(text, room, seed);
    const set = letters(pieces.map((piece) => piece.text).join(" "));
    // rows of a list do without the word for "and"
    if (!listIn(text)) expect(set).toBe(letters(text));
    for (const { text: line, fontSize, lines } of pieces) {
      expect(fontSize).toBeGreaterThan(0);
      if (lines === 1) expect(fontSize * emsOf(line)).toBeLessThanOrEqual(room.width * 1.01);
    }
    expect(pieces.reduce((sum, { fontSize, lines }) => sum + fontSize * lines, 0)).toBeLessThanOrEqual(
      room.height * 1.01,
    );
  }
});

test.each([
  ["in 46 countries.", { filled: 46, total: 46 }],
  ["99.99% uptime.", { filled: 99, total: 100 }],
  ["Im Schnitt 1.095 € zurück.", undefined],
  ["Weighs 9.8 kilos.", undefined],
  ["In 1987", undefined],
  ["14 Mill Lane, Leeds", undefined],
  ["It knows the tax rules of 46 countries.", { filled: 46, total: 46 }],
  ["One jar lasts three months.", { filled: 3, total: 3 }],
  ["يُعصر خلال أربع ساعات.", { filled: 4, total: 4 }],
  ["New routes every Tuesday.", { first: 1, filled: 1, total: 7 }],
  ["毎週火曜日に新しい課題。", { first: 1, filled: 1, total: 7 }],
  ["Im Oktober von Hand gepflückt.", { first: 9, filled: 1, total: 12 }],
  ["十月に手で摘みます。", { first: 9, filled: 1, total: 12 }],
  ["No plastic, no foam, no sugar.", { filled: 3, total: 3, isCrossed: true }],
  ["Your accountant sees what you see.", undefined],
])("the dots of %s", (text, amount) => {
  expect(amountIn(text)).toEqual(amount as never);
});

test.each([
  ["in 46 countries", ["in 46", "countries"]],
  ["14 Mill Lane, Leeds", ["14 Mill Lane,", "Leeds"]],
  ["Nur 9,8 Kilo leicht", ["Nur 9,8", "Kilo leicht"]],
  ["Kennt die Steuerregeln in 46 Ländern", ["Kennt", "die Steuerregeln", "in 46", "Ländern"]],
  ["Photograph a receipt and it is booked", ["Photograph", "a receipt and it", "is booked"]],
])("the lines of %s: no preposition is alone, and what matters is last", (text, lines) => {
  const pieces = piecesOf(text, { width: 768, height: 630, maxFontSize: 180, maxLines: 6 }, 1);
  expect(pieces.map((piece) => piece.text)).toEqual(lines);
});

test("in a wide frame words stand at the side at which they begin, and shapes at the other", () => {
  const tall = { width: 1080, height: 1920 };
  const wide = { width: 1920, height: 1080 };
  for (const [text, side] of [
    ["Routes for all", 96],
    ["مسارات للجميع", 1920 - 96],
  ] as const) {
    const shown = {
      scene: { ...scene, text_overlay: text },
      place: "middle" as const,
      index: 1,
      start: 0,
      end: 4,
      colors,
    };
    const [first] = sceneWords(titleFrame(tall), { ...film, hasObject: false, isShared: true }, shown);
    const { centerX, centerY, maxWidth, maxHeight } = first!.overlay as Record<string, number>;
    const box = { x: 540 + centerX! - maxWidth! / 2, y: 960 + centerY!, width: maxWidth!, height: maxHeight! };
    const { move, scale } = placeBox(box, tall, wide);
    const left = move(box).x;
    expect(side === 96 ? left : left + box.width * scale).toBeCloseTo(side, 0);
  }
});
