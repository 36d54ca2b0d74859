import { expect, test } from "bun:test";
import fc from "fast-check";
import { readingSeconds } from "../../../src/domain/exports/request/reading-time.ts";
import { ExportRequest } from "../../../src/domain/exports/request/schema.ts";
import { figureIn, highlightIn, listIn, titleOf } from "../../../src/domain/films/look/clauses.ts";
import { filmLook, pictureColors, sceneColors } from "../../../src/domain/films/look/film-look.ts";
import { layoutCard } from "../../../src/domain/films/look/layout-card.ts";
import { balancedLines, setLarge } from "../../../src/domain/films/look/lines.ts";
import { filmPalette } from "../../../src/domain/films/look/palette.ts";
import { sceneLayers } from "../../../src/domain/films/look/scene-layers.ts";
import { filmWords, sceneWords } from "../../../src/domain/films/look/scene-words.ts";
import type { Work } from "../../../src/domain/works/works.ts";
import { contrastRatio, parseColor } from "../../../src/platform/colors.ts";
import { boxesOf, facts, scenes, setScene, shapes, subject, wrongPlaces } from "../../support/look-scenes.ts";
import { looks } from "../../support/looks.ts";

const contrast = (one: string, other: string) => contrastRatio(parseColor(one)!, parseColor(other)!);
const all = [...looks.values()];

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
  for (const look of all) {
    const set = { look, palette: filmPalette({ color_palette }, "Velo Nord", look.palettes) };
    for (const colors of [0, 1, 2, 3, 4, 5].map((scene) => sceneColors(set, scene, 6)).concat(pictureColors(set))) {
      expect(contrast(colors.ground, colors.ink)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(colors.ground, colors.emphasis)).toBeGreaterThanOrEqual(3);
    }
  }
});

test("a logo stands on a light ground, and the call beside it has the brand's colors", () => {
  const palette = filmPalette({ color_palette: ["#123456", "#ffcc00"] }, "Nordlicht");
  const { ground, emphasis, onEmphasis } = sceneColors({ look: all[0]!, palette }, 3, 4, true);
  expect([ground, emphasis, onEmphasis]).toEqual([palette.light, "#123456", "#ffcc00"]);
});

const workOf = (productName: string, productDescription = "") => ({ productName, productDescription }) as Work;

test("a film has the look that its order names, or else one that its words fit, always the same", () => {
  for (const { name, fits } of all) {
    expect(filmLook(looks, { look: name }, undefined, workOf("Velo")).look.name).toBe(name);
    const word = fits.find((each) =>
      all.every((look) => look.name === name || !look.fits.some((fit) => each.includes(fit))),
    );
    if (word) expect(filmLook(looks, {}, undefined, workOf("X", `It is about ${word}.`)).look.name).toBe(name);
  }
  // "vin" is no word of "vintage"
  const [look] = all;
  const wine = new Map([
    ["a", { ...look!, name: "a", fits: ["vin"] }],
    ["b", { ...look!, name: "b", fits: ["bike"] }],
  ]);
  expect(filmLook(wine, {}, undefined, workOf("X", "A vintage e-bike.")).look.name).toBe("b");
  const chosen = new Set(
    ["Velo", "Nord", "Fjord", "Oak", "Lumora", "Trail"].map(
      (name) => filmLook(looks, {}, undefined, workOf(name)).look.name,
    ),
  );
  expect(chosen.size).toBeGreaterThan(Math.min(2, all.length - 1));
  const ofTable = (description: string) =>
    filmLook(looks, { lookSeed: "{{name}}" }, undefined, workOf("A", description)).look.name;
  expect(ofTable("gym")).toBe(ofTable("perfume"));
});

test.each([
  ["The bike that fits under a desk", "opening", { headline: "Foldaway", sub: "The bike that fits under a desk" }],
  ["Foldaway fits under a desk.", "opening", { headline: "Foldaway fits under a desk" }],
  ["It folds in ten seconds.", "claim", { headline: "It folds in ten seconds" }],
  ["No racks, no locks", "split", { headline: "No racks", answer: "no locks" }],
  [
    "It has: a bell, a lock, a lamp",
    "list",
    { headline: "It has", "item-1": "a bell", "item-2": "a lock", "item-3": "a lamp" },
  ],
  ["Weighs just 11 kg", "number", { headline: "Weighs just", number: "11 kg", sub: "" }],
  [
    "“I take it on every train.” — Ana, Lisbon",
    "quote",
    { headline: "I take it on every train.", author: "Ana, Lisbon" },
  ],
  ["„Passt unter jeden Tisch.“ – Jana", "quote", { headline: "Passt unter jeden Tisch.", author: "Jana" }],
  ["Now $890 instead of $1,090", "offer", { headline: "Now", price: "$890", was: "$1,090", sub: "" }],
  ["Nur 24,90 € statt 39,90 €", "offer", { headline: "Nur", price: "24,90 €", was: "39,90 €", sub: "" }],
  ["£18 each, free delivery", "offer", { headline: "", price: "£18 each", was: "", sub: "free delivery" }],
  [
    "45 € les deux heures, terre et cuisson comprises",
    "offer",
    { headline: "", price: "45 € les deux heures", was: "", sub: "terre et cuisson comprises" },
  ],
  ["£81,000 raised last year", "number", { headline: "", number: "£81,000", sub: "raised last year" }],
  ["3,200 runners raised £81,000", "number", { headline: "3,200 runners raised", number: "£81,000", sub: "" }],
  [
    "Vorher: weiches Brot. Nachher: Kruste, die kracht.",
    "before-after",
    { before: "Vorher", headline: "weiches Brot", after: "Nachher", answer: "Kruste, die kracht" },
  ],
  [
    "So geht es: 1. Bestellen 2. Abholen 3. Genießen.",
    "steps",
    { headline: "So geht es", "item-1": "Bestellen", "item-2": "Abholen", "item-3": "Genießen" },
  ],
  [
    "First fold, then carry, finally ride away.",
    "steps",
    { headline: "", "item-1": "Fold", "item-2": "Carry", "item-3": "Ride away" },
  ],
  ["① 選ぶ ② 送る", "steps", { headline: "", "item-1": "選ぶ", "item-2": "送る" }],
  [
    "“Quiet and quick.” 4.8 out of 5 — Ana, Lisbon",
    "review",
    { stars: "★ 4.8/5", headline: "Quiet and quick.", author: "Ana, Lisbon" },
  ],
  ["⭐⭐⭐⭐⭐ „Das beste Brot!“ Maria", "review", { stars: "★★★★★", headline: "Das beste Brot!", author: "Maria" }],
  ["", "claim", { headline: "Foldaway" }],
] as const)("%p is the words of a layout: %s", (text_overlay, layout, words) => {
  const place = layout === "opening" ? "opening" : "middle";
  expect(sceneWords(facts, { text_overlay }, place)).toEqual({ layout, words } as never);
});

test("the last scene has the name, the price, the call and the address, or the call with its price", () => {
  const words = (text_overlay: string) => sceneWords(facts, { text_overlay }, "end").words;
  expect(words("Order now.")).toEqual({
    initial: "F",
    name: "Foldaway",
    price: "$890",
    call: "Order now",
    address: "foldaway.example",
  });
  expect(words("Now $890")).toMatchObject({ price: "", call: "Now $890" });
});

test.each(all.map(({ name }) => [name]))("long words are in the safe zone of tall and wide films: %s", async (name) => {
  expect(await wrongPlaces(looks.get(name)!, [shapes[0]!, shapes[3]!], ["long"])).toEqual([]);
});

test.each(all.map(({ name }) => [name]))("exports accept what a look makes: %s", async (name) => {
  const look = looks.get(name)!;
  for (const [at, text] of scenes.english.entries()) {
    const { texts, images, layers } = await setScene(
      { look, canvas: shapes[0]!, text, at },
      { subject, logo: { assetId: "asset_1", ratio: 2 } },
    );
    const timed = (each: (typeof texts)[0]) => ({ ...each.overlay, position: each.start, end: each.end });
    const clip = { sceneIndex: 0, position: 0, end: 5 };
    const clips = [
      ...look.transitions.map(({ name, seconds }) => ({ ...clip, transition: name, transitionDuration: seconds })),
      clip,
    ];
    const request = {
      projectId: "proj_1",
      workId: "work_1",
      clips,
      texts: texts.map(timed),
      images: images.map(timed),
      layers,
    };
    const parsed = ExportRequest.safeParse(request);
    expect(parsed.error?.issues ?? []).toEqual([]);
  }
});

test.each([0.5, 0.9, 1.2, 3])("in a scene of %d s all words are seen", async (seconds) => {
  const canvas = shapes[0]!;
  for (const look of all) {
    for (const [at, text] of scenes.english.entries()) {
      const { design, zone } = await setScene({ look, canvas, text, at });
      const boxes = await boxesOf(layoutCard(design, { canvas, zone }), canvas);
      const times = { index: at, start: 4, end: 4 + seconds, transition: Math.min(0.4, seconds / 2), leaving: 0 };
      for (const { start, end } of sceneLayers(design, { canvas, zone }, boxes, times).texts) {
        expect(start).toBeGreaterThanOrEqual(4);
        expect(end - start).toBeGreaterThan(0.09);
      }
    }
  }
});

test.each(all.map(({ name }) => [name]))(
  "no ground stands alone before a cut, and words are read: %s",
  async (name) => {
    const look = looks.get(name)!;
    const canvas = shapes[0]!;
    const set = await Promise.all(
      scenes.english.slice(0, -1).map(async (text, at) => {
        const { design, zone } = await setScene({ look, canvas, text, at });
        return { design, zone, boxes: await boxesOf(layoutCard(design, { canvas, zone }), canvas) };
      }),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...set),
        fc.double({ min: 1, max: 6, noNaN: true }),
        fc.constantFrom(...look.transitions),
        fc.constantFrom(...look.transitions),
        ({ design, zone, boxes }, seconds, { seconds: transition }, { seconds: leaving }) => {
          const end = 4 + seconds;
          const times = { index: 1, start: 4, end, transition, leaving };
          const { texts } = sceneLayers(design, { canvas, zone }, boxes, times);
          const secondsOf = (move: unknown) => (move as { seconds?: number } | undefined)?.seconds ?? 0;
          for (const { start, end: gone, overlay } of texts) {
            expect(gone - secondsOf(overlay.exit)).toBeGreaterThanOrEqual(end - 0.25);
            // the words of the next scene come then
            expect(gone).toBeLessThanOrEqual(end + 0.6 * leaving);
            const reading = Math.max(...Object.values(design.words).map(readingSeconds));
            const atRest = gone - start - secondsOf(overlay.exit) - secondsOf(overlay.enter);
            if (seconds > reading + transition + 2.5) expect(atRest).toBeGreaterThanOrEqual(reading);
          }
        },
      ),
    );
  },
);

test("the ground of a scene depends on no word", async () => {
  const [look] = all;
  const card = async (text: string) => {
    const { design, zone } = await setScene({ look: look!, canvas: shapes[0]!, text, at: 1 });
    return layoutCard(design, { canvas: shapes[0]!, zone }, "page");
  };
  expect(await card("It folds in ten seconds")).toEqual(await card("It is light"));
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
  expect(balancedLines("湯の宿しらかば", 3)).toEqual(["湯の宿しらかば"]);
  expect(balancedLines("「湯の宿しらかば」は森の中の温泉宿です。", 3)).toContain("「湯の宿しらかば」は");
  expect(balancedLines("喫茶『つばめのす』で朝食を", 3)).toEqual(["喫茶『つばめのす』で", "朝食を"]);
});

test("no short word stands alone between lines", () => {
  expect(balancedLines("Courses for beginners every evening.", 4)).not.toContain("every");
  expect(balancedLines("Termine auch samstags.", 3)).toEqual(["Termine auch", "samstags."]);
  expect(balancedLines("وزنها 9 كيلوغرامات فقط.", 3).at(-1)).not.toBe("فقط.");
  expect(balancedLines("Velo Nord", 2)).toEqual(["Velo", "Nord"]);
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

test.each([
  ["Tuesdays, 18 classes, day and night", ["Tuesdays", "18 classes", "day and night"]],
  ["12 y 13 de octubre, Jardín del Turia", undefined],
  ["21.1 km along the water, 4,500 runners, chip timing", ["21.1 km along the water", "4,500 runners", "chip timing"]],
])("the items of %s", (text, items) => {
  expect(listIn(text)?.items).toEqual(items);
});

test("what a list says of it has the product's name above it", () => {
  expect(
    sceneWords(facts, { text_overlay: "It sorts tickets, drafts replies and learns your tone" }, "middle"),
  ).toEqual({
    layout: "list",
    words: {
      headline: "Foldaway",
      "item-1": "sorts tickets",
      "item-2": "drafts replies",
      "item-3": "learns your tone",
    },
  });
});

test.each([
  ["Besichtigung am Samstag, 14. Juni", "14. Juni"],
  ["12-month guarantee", "12-month"],
  ["18. bis 20. Juli am Bodensee", "18. bis 20. Juli"],
  ["12 y 13 de octubre, Valencia", undefined],
  ["Open on June 3", "June 3"],
  ["في 15 مايو", "15 مايو"],
  ["Bring a friend before 11", undefined],
])("the number of %s is %p", (text, number) => {
  expect(figureIn(text)?.number).toBe(number);
});

test.each([
  ["Every £20 entry gives one person clean water", "claim"],
  ["£20 off until Sunday", "offer"],
  ["学生は100円引きです", "offer"],
])("%s is a scene of %s", (text_overlay, layout) => {
  expect(sceneWords(facts, { text_overlay }, "middle").layout).toBe(layout as never);
});

test("of two scenes in a row, the second has another layout if its words fit one", () => {
  const layoutsOf = (...texts: string[]) =>
    filmWords(
      facts,
      ["", ...texts, "Order now"].map((text_overlay) => ({ text_overlay })),
    ).map(({ layout }) => layout);
  expect(layoutsOf("No racks, no locks", "Small wheels, big plans")).toEqual(["opening", "split", "claim", "end-card"]);
  expect(layoutsOf("Only $890", "The case is $40")).toEqual(["opening", "offer", "number", "end-card"]);
  expect(layoutsOf("Quick", "Soy candles I pour by hand in Leeds")).toEqual(["opening", "claim", "split", "end-card"]);
  expect(layoutsOf("Quick", "Light")).toEqual(["opening", "claim", "claim", "end-card"]);
});

test.each([
  ["20% off all furniture until Sunday 14 July", "20% off"],
  ["The second coffee is free", "free"],
  ["First class free until 30 June", "free"],
  ["Sourdough toast from €6.50", "€6.50"],
  ["At your door in 45 minutes", "45 minutes"],
  ["تبييض الأسنان في 45 دقيقة", "45 دقيقة"],
  ["送料無料でお届け", "送料無料"],
  ["14 Mill Lane, Leeds", undefined],
  ["Open from 7 every day", undefined],
  ["It folds without a tool", undefined],
  ["3月31日までのご予約で10%割引", "10%割引"],
  ["3月31日までのご予約", "3月31日まで"],
])("in %p, %p matters most", (text, part) => {
  expect(highlightIn(text)?.part).toBe(part);
});

test("where most of a text matters, nothing stands out", async () => {
  for (const text of ["3月31日までのご予約で、10%割引", "No fees"]) {
    const { texts } = await setScene({ look: all[0]!, canvas: shapes[0]!, text, at: 1 });
    expect(texts.filter(({ overlay }) => overlay.spans)).toEqual([]);
  }
});

test.each(all.map(({ name }) => [name]))(
  "what matters most stands out, readable on what is under it: %s",
  async (name) => {
    const look = looks.get(name)!;
    for (const text of ["The second coffee is free", "Bring your friends, free for students"]) {
      for (const at of [1, 2, 3]) {
        for (const isOnPicture of [false, true]) {
          const { texts, design } = await setScene({ look, canvas: shapes[0]!, text, at }, { isOnPicture });
          const found = texts.filter(({ overlay }) => overlay.spans);
          expect(found).toHaveLength(1);
          const { text: whole, spans, fontColor } = found[0]!.overlay as unknown as Spanned;
          expect(spans.map((span) => span.text).join("")).toBe(whole);
          const [mark] = spans.filter((span) => span.color ?? span.underline);
          expect(mark!.text).toBe("free");
          if (mark!.background) expect(contrast(mark!.background, mark!.color!)).toBeGreaterThanOrEqual(4.5);
          else if (mark!.color) expect(mark!.color).not.toBe(fontColor);
          if (isOnPicture) expect(mark!.background ?? mark!.underline).toBeDefined();
          expect(design.layout === "claim" || design.layout === "split").toBe(true);
        }
      }
    }
  },
);

type Spanned = {
  readonly text: string;
  readonly fontColor: string;
  readonly spans: readonly { text: string; color?: string; background?: string; underline?: boolean }[];
};

test("one photo is three shots, around its subject, never enlarged too far", async () => {
  const picture = {
    assetId: "asset_1",
    isWhole: false,
    size: { width: 1600, height: 1066 },
    focus: { x: 0.8, y: 0.4 },
  };
  const shots = await Promise.all(
    [1, 2, 3].map(async (at) => {
      const { images } = await setScene({ look: all[0]!, canvas: shapes[0]!, text: "It folds", at }, { picture });
      return images[0]!.overlay.keyframes as Record<"zoom" | "focusX" | "focusY", { value: number }[]>;
    }),
  );
  expect(new Set(shots.map(({ zoom }) => zoom[0]!.value)).size).toBe(3);
  for (const { zoom, focusX, focusY } of shots) {
    for (const { value } of focusX) expect(Math.abs(value - 0.8)).toBeLessThanOrEqual(0.121);
    expect(focusY).toEqual([{ at: 0, value: 0.4 }] as never);
    expect(Math.max(...zoom.map(({ value }) => value))).toBeLessThanOrEqual(2);
  }
});

test("a photo is seen until the one of the next scene has come", async () => {
  const canvas = shapes[0]!;
  const picture = { assetId: "asset_1", isWhole: false };
  const { design, zone } = await setScene({ look: all[0]!, canvas, text: "It folds", at: 1 }, { picture });
  const boxes = await boxesOf(layoutCard(design, { canvas, zone }), canvas);
  const times = { index: 1, start: 2, end: 5, transition: 0.4, leaving: 0.6 };
  const [photo] = sceneLayers(design, { canvas, zone }, boxes, times).images;
  expect(photo).toMatchObject({ start: 2, end: 5.6 });
  expect(photo!.overlay).toMatchObject({
    enter: { name: "fade", seconds: 0.4 },
    exit: { name: "fade", seconds: 0.6 },
  });
});

test("a product without a background has a shadow of its shape, and a photo has none", async () => {
  const overlayOf = async (isWhole: boolean) => {
    const picture = { assetId: "asset_1", isWhole };
    const { images } = await setScene({ look: all[0]!, canvas: shapes[0]!, text: "It folds", at: 1 }, { picture });
    return images[0]!.overlay;
  };
  expect(await overlayOf(true)).toMatchObject({ fit: "contain", shadow: { y: expect.any(Number) } });
  expect(await overlayOf(false)).not.toHaveProperty("shadow");
});

test.each(["phone", "browser", "laptop"] as const)("a picture of a screen fills the screen of a %s", async (device) => {
  const size = device === "phone" ? { width: 1170, height: 2532 } : { width: 1440, height: 900 };
  const picture = { assetId: "asset_1", isWhole: true, size, device };
  for (const canvas of shapes.slice(0, 4)) {
    for (const at of [1, 2]) {
      const { images, layers } = await setScene({ look: all[0]!, canvas, text: "It folds", at }, { picture });
      const { width, height, centerX, centerY, fit } = images[0]!.overlay as never as Record<string, number>;
      const body = layers.find(({ id }) => id.endsWith("-device")) as never as Record<string, number>;
      expect(fit as never).toBe("cover" as never);
      expect(Math.abs(height! / width! / (size.height / size.width) - 1)).toBeLessThan(0.02);
      expect(Math.abs(centerX! - body.centerX!) + width! / 2).toBeLessThan(body.width! / 2);
      expect(Math.abs(centerY! - body.centerY!) + height! / 2).toBeLessThan(body.height! / 2);
    }
  }
});

test("a fact that shares the scene of an offer stands below the price, whatever both say", () => {
  const fact = fc.constantFrom("11 kg light.", "It folds fast.", "Nur 11 kg.", "Weighs little!", "Handmade in Leeds.");
  const offer = fc.constantFrom("Now", "From", "Nur", "Only today", "Jetzt");
  const price = fc.constantFrom("$890", "£18", "24,90 €", "¥4,800");
  fc.assert(
    fc.property(fact, offer, price, fc.boolean(), (said, words, now, isBefore) => {
      const text_overlay = isBefore ? `${said} ${words} ${now}` : `${words} ${now}. ${said}`;
      const { layout, words: shown } = sceneWords(
        { name: "Foldaway", address: "", price: "" },
        { text_overlay },
        "middle",
      );
      expect([layout, shown.headline, shown.price, shown.sub?.replace(/\.$/, "")]).toEqual([
        "offer",
        words,
        now,
        said.replace(/\.$/, ""),
      ]);
    }),
  );
});
