import { expect, test } from "bun:test";
import { deflateRawSync } from "node:zlib";
import { createCanvas } from "@napi-rs/canvas";
import { prepareLottie } from "../../../src/engine/lottie/draw.ts";
import { ignoredFeatures, textLayerNames } from "../../../src/engine/lottie/features.ts";
import { readLottie } from "../../../src/engine/lottie/read.ts";
import {
  font,
  gradientFill,
  lottie,
  lottieBytes,
  movingSquare,
  redFill,
  square,
  words,
} from "../../support/media/lottie.ts";

const size = { width: 100, height: 100 };

type Changes = Parameters<typeof prepareLottie>[1];

async function draw(json: Parameters<typeof lottieBytes>[0], frame = 0, changes: Partial<Changes> = {}) {
  const drawing = await prepareLottie(lottieBytes(json), { colors: {}, texts: {}, ...changes }, 1);
  const context = createCanvas(size.width, size.height).getContext("2d");
  drawing.paint(context, frame, size);
  const { data } = context.getImageData(0, 0, size.width, size.height);
  const pixel = (x: number, y: number) => [...data.subarray(4 * (y * 100 + x), 4 * (y * 100 + x) + 4)];
  const visible = [...Array(10_000).keys()].filter((at) => data[4 * at + 3]! > 60);
  return { data, pixel, visible, left: Math.min(...visible.map((at) => at % 100)) };
}

test("frames lie where they are, also between two", async () => {
  const lefts = [];
  for (const frame of [0, 30, 30.5, 59]) lefts.push((await draw(lottie([movingSquare()]), frame)).left);
  expect(lefts).toEqual([0, 30, 30, 59]);
});

test("an animation that begins later counts its own frames", async () => {
  const json = lottie([movingSquare()], { ip: 20 });
  expect((await draw(json, 40)).left).toBe(40);
});

test("colors are replaced in fills and in the stops of gradients", async () => {
  const colors = { "#ff0000": "#00ff00" };
  expect((await draw(lottie([square(redFill)]), 0, { colors })).pixel(50, 50)).toEqual([0, 255, 0, 255]);
  const { pixel } = await draw(lottie([square(gradientFill)]), 0, { colors });
  expect(pixel(31, 50)[0]).toBe(0);
  expect(pixel(31, 50)[1]).toBeGreaterThan(230);
  expect(pixel(68, 50)[2]).toBeGreaterThan(230);
});

test("files of old versions have colors of 255 levels, and say beside a path whether it is closed", async () => {
  const fixed = (k: unknown) => ({ a: 0, k });
  const flat = [
    [0, 0],
    [0, 0],
    [0, 0],
  ];
  const corners = [
    [-40, -40],
    [40, -40],
    [40, 40],
  ];
  const path = { ty: "sh", closed: true, ks: fixed({ i: flat, o: flat, v: corners }) };
  const stroke = { ty: "st", c: fixed([0, 102, 0, 255]), o: fixed(100), w: fixed(6), lc: 1, lj: 1 };
  const outline = square(redFill) as { shapes: { it: unknown[] }[] };
  outline.shapes[0]!.it.splice(0, 2, path, stroke);
  const { pixel } = await draw(lottie([outline], { v: "4.0.3" }));
  // on the side that closes the triangle
  expect(pixel(50, 50)).toEqual([0, 102, 0, 255]);
});

test("words are drawn in the fonts of the service, and can be replaced by those of any script", async () => {
  const json = lottie([words("title", "Hi")], font);
  const own = await draw(json);
  expect(own.visible.length).toBeGreaterThan(50);
  expect(own.left).toBeGreaterThanOrEqual(9);
  const pictures = [own.data.join()];
  for (const text of ["Other", "مرحبا", "漢字"])
    pictures.push((await draw(json, 0, { texts: { title: text } })).data.join());
  expect(new Set(pictures).size).toBe(4);
  expect((await draw(json, 0, { texts: { title: "" } })).visible).toEqual([]);
});

test("words keep their place for layers that follow them, and their mattes", async () => {
  const follower = square(redFill, {
    parent: 2,
    ind: 3,
    ks: { ...(square(redFill).ks as object), p: { a: 0, k: [0, 0, 0] } },
  });
  const { pixel } = await draw(lottie([follower, words("title", "")], font));
  expect(pixel(10, 60)).toEqual([255, 0, 0, 255]);
});

test("what is not drawn is named", () => {
  const expression = square(redFill, { ks: { r: { a: 0, k: 0, x: "$bm_rt = time" } } });
  const json = lottie([expression, { ty: 6, nm: "sound", ks: {}, refId: "s" }, words("title", "Hi")], font);
  const read = readLottie(lottieBytes(json));
  expect(ignoredFeatures(read).toSorted()).toEqual(["expressions", "sound"]);
  expect(textLayerNames(read)).toEqual(["title"]);
});

const picture =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** A zip without checksums, which are not read. */
function zip(files: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, bytes] of Object.entries(files)) {
    const content = deflateRawSync(bytes);
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50);
    head.writeUInt16LE(8, 8);
    head.writeUInt32LE(content.length, 18);
    head.writeUInt32LE(bytes.length, 22);
    head.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(content.length, 20);
    entry.writeUInt32LE(bytes.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    parts.push(head, Buffer.from(name), content);
    directory.push(entry, Buffer.from(name));
    offset += 30 + name.length + content.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

test("an archive has its animation, and the pictures that it names", () => {
  const image = { id: "i", w: 1, h: 1, u: "", p: "dot.png", e: 0 };
  const json = lottieBytes(lottie([{ ty: 2, refId: "i", ks: {} }], { assets: [image] }));
  const dot = Buffer.from(picture.split(",")[1]!, "base64");
  const archive = zip({ "manifest.json": Buffer.from("{}"), "animations/a.json": json, "images/dot.png": dot });
  expect(readLottie(archive).json.assets).toMatchObject([{ p: picture }]);
  expect(() => readLottie(zip({ "animations/a.json": json }))).toThrow("needs the file dot.png");
  expect(() => readLottie(zip({ "a.txt": dot }))).toThrow("no Lottie");
  const bomb = zip({ "animations/a.json": Buffer.alloc(30 * 2 ** 20, " ") });
  expect(() => readLottie(bomb)).toThrow("too large");
});

const reference = (refId: string) => ({ ty: 0, refId, ks: {}, w: 10, h: 10 });
const tenfold = Array.from({ length: 6 }, (_, at) => ({
  id: `c${at}`,
  layers: Array(10).fill(at === 5 ? square(redFill) : reference(`c${at + 1}`)),
}));

const hostile: readonly (readonly [string, Uint8Array])[] = [
  ["no JSON", Buffer.from("{")],
  ["a list", Buffer.from("[]")],
  ["no layers", lottieBytes({ v: "5", w: 1, h: 1, fr: 30, ip: 0, op: 1 })],
  ["a huge size", lottieBytes(lottie([], { w: 1e9 }))],
  ["no time", lottieBytes(lottie([], { op: -1 }))],
  ["no frame rate", lottieBytes(lottie([], { fr: 0 }))],
  ["a week", lottieBytes(lottie([], { op: 30 * 86_400 * 7 }))],
  ["many layers", lottieBytes(lottie(Array(2001).fill({ ty: 3 })))],
  ["layers that multiply", lottieBytes(lottie([reference("c0")], { assets: tenfold }))],
  ["layers in a circle", lottieBytes(lottie([reference("a")], { assets: [{ id: "a", layers: [reference("a")] }] }))],
  [
    "deep objects",
    Buffer.from(
      JSON.stringify(lottie([])).replace('"layers":[]', `"layers":[${'{"a":'.repeat(300)}1${"}".repeat(300)}]`),
    ),
  ],
  [
    "deeper lists",
    Buffer.from(
      JSON.stringify(lottie([])).replace('"assets":[]', `"assets":${"[".repeat(300_000)}${"]".repeat(300_000)}`),
    ),
  ],
  ["many copies", lottieBytes(lottie([square({ ty: "rp", c: { a: 0, k: 1e9 } })]))],
  ["a file from outside", lottieBytes(lottie([], { assets: [{ id: "i", u: "/etc/", p: "passwd" }] }))],
  ["a picture of another type", lottieBytes(lottie([], { assets: [{ id: "i", p: "data:image/svg+xml;base64,AA" }] }))],
  ["6 MB", Buffer.from(JSON.stringify(lottie([])).padEnd(6 * 2 ** 20))],
];

test.each(hostile)("refuses %s", (_, bytes) => {
  expect(() => readLottie(bytes)).toThrow();
});

const star = (points: number) => ({ ty: "sr", sy: 1, pt: { a: 0, k: points } });

test.each([
  ["a star of a billion points", lottie([square(star(1e6))])],
  ["numbers that make endless paths", lottie([square({ ty: "pb", a: { a: 0, k: 1e9 } })])],
  ["300 text layers", lottie(Array(300).fill(words("title", "x")), font)],
])("refuses %s", (_, json) => {
  expect(() => readLottie(lottieBytes(json))).toThrow("too large");
});
