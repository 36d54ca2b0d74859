import { openZip } from "../../platform/zip.ts";
import { requireBoundedStructure } from "../inspect/structure/image.ts";
import { hasOutside, notLottie, tooLarge } from "./refusals.ts";

/** An object of the JSON; what its fields are is unknown until they are read. */
export type Json = { [field: string]: unknown };

/** A Lottie animation whose size is bounded and whose pictures are in it. Frames are its own. */
export type Lottie = {
  readonly width: number;
  readonly height: number;
  readonly frameRate: number;
  readonly firstFrame: number;
  /** Exclusive. */
  readonly endFrame: number;
  readonly json: Json;
};

const limits = {
  jsonBytes: 5 * 2 ** 20,
  depth: 100,
  layers: 2000,
  side: 8192,
  frameRate: 240,
  seconds: 3600,
  copies: 1000,
  starPoints: 1000,
  textLayers: 200,
  /** Of any number: larger ones make paths that are drawn for minutes. */
  number: 10_000_000,
  offset: 1000,
  pictures: 200,
};

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

const numberOf = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);

/** Reads a JSON file or an archive. Throws unsupported_media_type. */
export function readLottie(file: Uint8Array): Lottie {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const json = bytes.toString("latin1", 0, 2) === "PK" ? readArchive(bytes) : parse(bytes);
  const { w, h, fr, ip, op } = json;
  const [width, height, frameRate, firstFrame, endFrame] = [w, h, fr, ip ?? 0, op].map(numberOf) as Numbers;
  if (!(width >= 1 && height >= 1 && frameRate > 0 && endFrame > firstFrame) || !Array.isArray(json.layers)) {
    throw notLottie();
  }
  if (Math.max(width, height) > limits.side) throw tooLarge(`${limits.side} pixels on each side`);
  if (frameRate > limits.frameRate) throw tooLarge(`${limits.frameRate} frames a second`);
  if ((endFrame - firstFrame) / frameRate > limits.seconds) throw tooLarge("one hour");
  requireBoundedLayers(json);
  requireBoundedValues(json);
  requireOwnPictures(json);
  readAsNewer(json);
  return { width, height, frameRate, firstFrame, endFrame, json };
}

/** Version 4.1.9 changed colors from 255 levels to shares, 4.4.18 moved what closes a path into the path. */
function readAsNewer(json: Json): void {
  const [major = 9, minor = 9, patch = 9] = typeof json.v === "string" ? json.v.split(".").map(Number) : [];
  const version = (major * 100 + minor) * 100 + patch;
  if (!(version < 4_04_18)) return;
  const close = (property: unknown, isClosed: unknown) => {
    const paths = isObject(property) ? valuesOf(property).flat() : [];
    for (const path of paths) if (isObject(path)) path.c = isClosed === true;
  };
  visitJson(json, ({ ty, c, ks, closed, pt, cl }) => {
    if (ty === "sh") close(ks, closed);
    if (pt && cl !== undefined) close(pt, cl);
    if ((ty !== "fl" && ty !== "st") || !isObject(c) || version >= 4_01_09) return;
    for (const color of valuesOf(c))
      if (Array.isArray(color)) color.splice(0, 4, ...color.slice(0, 4).map((level) => level / 255));
  });
}

/** The value of a property, or those of its keyframes. */
export function valuesOf({ k }: Json): readonly unknown[] {
  const keyframes = listOf(k);
  return keyframes.length > 0 ? keyframes.flatMap(({ s, e }) => [s, e]) : [k];
}

type Numbers = [width: number, height: number, frameRate: number, firstFrame: number, endFrame: number];

function parse(bytes: Buffer): Json {
  if (bytes.length > limits.jsonBytes) throw tooLarge("5 MB of JSON");
  try {
    const json: unknown = JSON.parse(bytes.toString("utf8").replace(/^\uFEFF/, ""));
    if (isObject(json)) return json;
  } catch {
    // reported below
  }
  throw notLottie();
}

/** The first animation of an archive, with its pictures in it. */
function readArchive(bytes: Buffer): Json {
  const archive = openZip(bytes, { damaged: notLottie, tooLarge });
  const animation = archive.names.find((name) => /^(?:animations|a)\/[^/]+\.json$/.test(name));
  if (!animation) throw notLottie();
  const json = parse(archive.read(animation));
  for (const asset of listOf(json.assets)) {
    const { p } = asset;
    if (typeof p !== "string" || p.startsWith("data:")) continue;
    const name = ["images", "i"].map((folder) => `${folder}/${p}`).find((path) => archive.names.includes(path));
    if (!name) throw hasOutside(p);
    const type = /\.jpe?g$/i.test(name) ? "jpeg" : /\.webp$/i.test(name) ? "webp" : "png";
    Object.assign(asset, { u: "", e: 1, p: `data:image/${type};base64,${archive.read(name).toString("base64")}` });
  }
  return json;
}

/** Counts the layers as often as they are drawn: a composition in a composition may multiply them. */
function requireBoundedLayers({ layers, assets }: Json): void {
  const compositions = new Map(listOf(assets).map((asset) => [asset.id, listOf(asset.layers)]));
  const counts = new Map<unknown, number>();
  const countOf = (list: readonly Json[], inProgress: ReadonlySet<unknown>): number => {
    let count = list.length;
    for (const { refId } of list) {
      const inner = compositions.get(refId);
      if (!inner || inner.length === 0) continue;
      if (inProgress.has(refId)) throw notLottie();
      const known = counts.get(refId) ?? countOf(inner, new Set([...inProgress, refId]));
      counts.set(refId, known);
      count += known;
      if (count > limits.layers) throw tooLarge(`${limits.layers} layers`);
    }
    return count;
  };
  if (countOf(listOf(layers), new Set()) > limits.layers) throw tooLarge(`${limits.layers} layers`);
}

/** Visits all objects. Throws if they are nested too deep, or have too large numbers. */
export function visitJson(json: Json, use: (object: Json) => void): void {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: json, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === "number" && Math.abs(value) > limits.number) throw tooLarge("numbers up to ten million");
    if (typeof value !== "object" || value === null) continue;
    if (depth > limits.depth) throw tooLarge(`objects nested ${limits.depth} deep`);
    if (isObject(value)) use(value);
    for (const child of Object.values(value)) open.push({ value: child, depth: depth + 1 });
  }
}

/** Numbers of a shape's property: its value, or those of its keyframes. */
function numbersOf(property: unknown): readonly number[] {
  if (!isObject(property)) return [];
  const keyed = listOf(property.k).flatMap(({ s, e }) => [s, e].flat());
  return [property.k, ...keyed].map(numberOf).filter(Number.isFinite);
}

function requireBoundedValues(json: Json): void {
  let [copies, texts] = [1, 0];
  visitJson(json, (object) => {
    const { ty, c, pt, a, t, ks } = object;
    if (ty === "rp") copies += Math.max(0, ...numbersOf(c));
    if (ty === "sr" && numbersOf(pt).some((points) => points > limits.starPoints)) {
      throw tooLarge(`${limits.starPoints} points of a star`);
    }
    if (ty === "op" && numbersOf(a).some((offset) => Math.abs(offset) > limits.offset)) {
      throw tooLarge(`an offset of ${limits.offset} pixels`);
    }
    if (ty === 5 && t && ks) texts++;
  });
  if (copies > limits.copies) throw tooLarge(`${limits.copies} copies of shapes`);
  if (texts > limits.textLayers) throw tooLarge(`${limits.textLayers} text layers`);
}

const picture = /^data:image\/(png|jpeg|jpg|webp|gif);base64,/;

function requireOwnPictures({ assets, fonts }: Json): void {
  const files = listOf(assets).filter(({ p }) => typeof p === "string" && p !== "");
  if (files.length > limits.pictures) throw tooLarge(`${limits.pictures} pictures`);
  for (const { p, u } of files) {
    const address = p as string;
    const [start = "", type = ""] = picture.exec(address) ?? [];
    if (!type)
      throw hasOutside(address.startsWith("data:") ? "of another type" : `${typeof u === "string" ? u : ""}${address}`);
    const container = type === "jpg" ? "jpeg" : (type as "png" | "jpeg" | "webp" | "gif");
    requireBoundedStructure(Buffer.from(address.slice(start.length), "base64"), container);
  }
  // the addresses of fonts: they are not loaded
  if (isObject(fonts)) for (const font of listOf(fonts.list)) delete font.fPath;
}
