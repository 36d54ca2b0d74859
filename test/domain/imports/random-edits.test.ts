import { expect, test } from "bun:test";
import fc from "fast-check";
import { ExportRequest } from "../../../src/domain/exports/request/schema.ts";
import { creatomate } from "../../../src/domain/imports/creatomate/read.ts";
import { editly } from "../../../src/domain/imports/editly/read.ts";
import { finishEdit } from "../../../src/domain/imports/finish.ts";
import { type FetchedMedia, mediaReader } from "../../../src/domain/imports/media.ts";
import type { EditService, MediaType } from "../../../src/domain/imports/reading/draft.ts";
import { Property } from "../../../src/domain/imports/reading/property.ts";
import { shotstack } from "../../../src/domain/imports/shotstack/read.ts";
import { isDomainError } from "../../../src/errors.ts";

/** Values that any property may have by mistake. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    "",
    "x",
    "50%",
    "{{ KEY }}",
    "#ff0000",
    "start",
    -1,
    0,
    0.5,
    3,
    1e9,
    {},
    [],
  ),
  fc.double(),
);

/** An object with some of these properties, mostly with values of their kind. */
const some = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .array(fc.tuple(fc.constantFrom(...Object.keys(fields), "unknown"), fc.nat(9), anything), { maxLength: 10 })
    .chain((chosen) =>
      fc.record(
        Object.fromEntries(
          chosen.map(([name, kind, wrong]) => [name, kind > 0 && fields[name] ? fields[name] : fc.constant(wrong)]),
        ),
      ),
    );

const of = (...values: readonly unknown[]) => fc.constantFrom<unknown>(...values);
const number = fc.oneof(fc.integer({ min: -5, max: 2000 }), fc.double({ min: 0, max: 3, noNaN: true }));
const list = (item: fc.Arbitrary<unknown>, maxLength = 3) => fc.array(item, { maxLength });
const url = of(
  "https://a.example/v.mp4",
  "https://a.example/i.png",
  "https://a.example/s.mp3",
  "https://a.example/none",
);
const color = of("#fff", "rgba(0,0,0,0.5)", "red", "#77000000", "transparent");
const text = of("Hello", "{{ KEY }} and {{OTHER}}", "[color red]a[/color] [size 50%]b[/size]", "", "<b>&amp;</b>");

const tween = list(
  some({
    from: number,
    to: number,
    start: number,
    length: number,
    easing: of("easeOutBack", "x"),
    interpolation: of("bezier", "constant"),
  }),
);
const shotstackAsset = some({
  type: of(
    "video",
    "image",
    "text",
    "rich-text",
    "title",
    "html",
    "luma",
    "audio",
    "shape",
    "svg",
    "caption",
    "text-to-image",
  ),
  src: url,
  trim: number,
  volume: fc.oneof(number, tween),
  speed: number,
  crop: some({ top: number, left: number }),
  chromaKey: some({ color, threshold: number, halo: number }),
  text,
  font: some({
    family: of("Inter", "Montserrat ExtraBold"),
    size: number,
    color,
    opacity: number,
    weight: of("bold", 700),
    lineHeight: number,
  }),
  background: fc.oneof(color, some({ color, opacity: number, borderRadius: number, padding: number, wrap: of(true) })),
  alignment: some({ horizontal: of("left"), vertical: of("center", "top") }),
  align: some({ horizontal: of("right"), vertical: of("middle") }),
  style: fc.oneof(
    of("chunk", "marker"),
    some({
      letterSpacing: number,
      textTransform: of("uppercase"),
      textDecoration: of("underline"),
      gradient: some({ stops: list(some({ offset: number, color })) }),
    }),
  ),
  stroke: some({ width: number, color }),
  shadow: some({ offsetX: number, blur: number, color, opacity: number }),
  border: some({ width: number, color, radius: number }),
  padding: fc.oneof(number, some({ top: number, left: number })),
  animation: some({ preset: of("typewriter", "slideIn", "fadeIn"), duration: number, style: of("word") }),
  html: of("<p>Hi {{ KEY }}</p>", "<div><b>x</b></div>", "<p class='a'>x<br>y</p>", "<<<"),
  css: of(
    "p { color: #fff; font-size: 20px }",
    "p { margin: 3px; background: url(https://x) }",
    "@media {}",
    "{{ KEY }}",
  ),
  width: number,
  height: number,
  position: of("top", "bottomLeft", "center"),
  shape: of("circle", "rectangle", "line"),
  fill: some({ color, opacity: number }),
  rectangle: some({ width: number, height: number, cornerRadius: number }),
  line: some({ length: number, thickness: number }),
});
const shotstackClip = some({
  asset: shotstackAsset,
  start: fc.oneof(number, of("auto", "alias://x")),
  length: fc.oneof(number, of("auto", "end")),
  fit: of("crop", "cover", "contain", "none"),
  scale: fc.oneof(number, tween),
  position: of("topRight", "bottom"),
  offset: some({ x: fc.oneof(number, tween), y: number }),
  transition: some({ in: of("fade", "slideLeftFast", "carouselUp", "zoom"), out: of("wipeRight", "reveal") }),
  effect: of("zoomIn", "slideLeftSlow", "none"),
  filter: of("greyscale", "boost"),
  opacity: fc.oneof(number, tween),
  transform: some({
    rotate: some({ angle: fc.oneof(number, tween) }),
    skew: some({ x: number }),
    flip: some({ horizontal: of(true) }),
  }),
});
const shotstackEdit = some({
  timeline: some({
    background: color,
    soundtrack: some({ src: url, effect: of("fadeOut"), volume: number }),
    fonts: list(some({ src: url })),
    tracks: list(some({ clips: list(shotstackClip, 4) })),
  }),
  output: some({
    format: of("mp4", "gif", "jpg", "bmp"),
    resolution: of("sd", "1080"),
    aspectRatio: of("9:16", "4:5"),
    fps: number,
    size: some({ width: number, height: number }),
    poster: some({ capture: number }),
    mute: of(true),
    range: some({ start: number }),
  }),
  merge: list(some({ find: of("KEY", "OTHER"), replace: fc.oneof(number, url, text) })),
  callback: url,
});

const length = fc.oneof(number, of("50%", "3 vmin", "10 vw", "100 px", "x", null));
const frames = (value: fc.Arbitrary<unknown>) =>
  list(some({ time: fc.oneof(number, of("start", "end", "1 s")), value, easing: of("steps(1)", "quadratic-out") }));
const keyed = (value: fc.Arbitrary<unknown>) => fc.oneof(value, value, frames(value));
const stops = list(some({ offset: of("0%", "100%"), color }));
const element = fc.letrec((tie) => ({
  element: some({
    id: of("a"),
    name: of("Title", "Picture"),
    type: of("image", "video", "audio", "text", "shape", "composition", "text", "shape"),
    track: of(1, 2, 3),
    time: fc.oneof(number, of("end", "1 s")),
    duration: fc.oneof(number, of(null, "media", "2 s")),
    x: keyed(length),
    y: keyed(length),
    width: keyed(length),
    height: length,
    aspect_ratio: number,
    x_padding: length,
    x_anchor: length,
    y_anchor: length,
    x_scale: keyed(length),
    z_rotation: keyed(of("45°", 10)),
    y_rotation: keyed(of("45°")),
    opacity: keyed(of("50%", 0.5)),
    shadow_color: color,
    shadow_blur: length,
    blend_mode: of("multiply", "lighter"),
    color_filter: of("brighten", "sepia"),
    color_filter_value: of("20%"),
    color_overlay: color,
    blur_radius: keyed(length),
    mask_mode: of("luma", "alpha-inverted"),
    repeat: of(true),
    loop: of(true),
    dynamic: of(true),
    clip: of(true),
    source: url,
    fit: of("cover", "fill"),
    trim_start: number,
    volume: keyed(of("50%", 100)),
    text: keyed(text),
    font_family: of("Inter", "Aileron"),
    font_size: keyed(length),
    font_size_maximum: length,
    letter_spacing: length,
    line_height: of("120%"),
    text_wrap: of(false),
    fill_color: fc.oneof(keyed(color), stops, of(null)),
    fill_mode: of("linear", "radial"),
    stroke_color: keyed(color),
    stroke_width: keyed(length),
    stroke_end: keyed(of("50%")),
    background_color: color,
    background_x_padding: length,
    border_radius: keyed(length),
    path: keyed(of("M 0 0 L 100 0 L 100 100 L 0 100 L 0 0 Z", "M -10 5 L 30 30", "x")),
    animations: list(
      some({
        type: of(
          "fade",
          "slide",
          "scale",
          "pan",
          "text-slide",
          "text-typewriter",
          "wipe",
          "shake",
          "flip",
          "spin",
          "x",
        ),
        time: fc.oneof(number, of("start", "end", null)),
        duration: number,
        easing: of("linear", "back-out"),
        transition: of(true),
        reversed: of(true),
        start_scale: of("100%", "0%"),
        end_scale: of("120%"),
        direction: of("up", "270°"),
        split: of("word", "letter"),
        fade: of(false),
      }),
    ),
    elements: list(tie("element"), 2),
  }),
})).element;
const creatomateEdit = some({
  output_format: of("mp4", "png", "gif"),
  width: number,
  height: number,
  frame_rate: number,
  duration: number,
  snapshot_time: number,
  fill_color: fc.oneof(color, stops),
  modifications: some({ Title: text, "Picture.source": url, "a.fill_color": color, Nobody: text }),
}).chain((fields) => list(element, 4).map((elements) => ({ ...fields, elements })));

const editlyLayer = some({
  type: of(
    "video",
    "image",
    "image-overlay",
    "title",
    "subtitle",
    "news-title",
    "slide-in-text",
    "title-background",
    "fill-color",
    "linear-gradient",
    "radial-gradient",
    "rainbow-colors",
    "audio",
    "detached-audio",
    "gl",
  ),
  path: url,
  text,
  cutFrom: number,
  cutTo: number,
  start: number,
  stop: number,
  mixVolume: number,
  resizeMode: of("contain", "cover", "stretch", "contain-blur"),
  zoomDirection: of("in", "left", null),
  zoomAmount: number,
  width: number,
  height: number,
  left: number,
  originX: of("center"),
  position: fc.oneof(of("top", "bottom-left"), some({ x: number, y: number, originX: of("right") })),
  color,
  colors: list(color),
  textColor: color,
  fontPath: url,
  fontSize: number,
  background: some({ type: of("fill-color", "radial-gradient"), color }),
});
const editlyEdit = some({
  outPath: of("./a.mp4", "a.gif"),
  width: number,
  height: number,
  fps: number,
  fast: of(true),
  defaults: some({
    duration: number,
    transition: some({ name: of("fade"), duration: number }),
    layer: some({ fontPath: url }),
  }),
  clips: list(
    some({
      duration: number,
      transition: fc.oneof(
        of(null),
        some({ name: of("directional-left", "nothing"), duration: number, easing: of("linear") }),
      ),
      layers: fc.oneof(list(editlyLayer), editlyLayer),
    }),
  ),
  audioTracks: list(some({ path: url, mixVolume: number, cutFrom: number, start: number })),
  audioFilePath: url,
  keepSourceAudio: of(true),
  outputVolume: of(1, "-10dB"),
});

const kinds: readonly (readonly [RegExp, MediaType])[] = [
  [/mp4$/, "video"],
  [/png$/, "image"],
  [/mp3$/, "audio"],
];

/** Files of 64 × 36 that last three seconds; one address has none. */
function fetchedOf(wanted: ReadonlyMap<string, MediaType>): Map<string, FetchedMedia> {
  return new Map(
    [...wanted].map(([address], index) => {
      const kind = kinds.find(([pattern]) => pattern.test(address))?.[1];
      if (!kind) return [address, { failure: "It is not there." }];
      const facts = { kind, width: 64, height: 36, ...(kind !== "image" && { durationSeconds: 3, hasSound: true }) };
      const id = `asset_${index}`;
      return [address, { asset: { id, type: kind, file: { facts } } } as unknown as FetchedMedia];
    }),
  );
}

/** The paths of all values that hold no other. */
function leavesOf(value: unknown, path = ""): readonly string[] {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) return value === undefined ? [] : [path];
  return entries.flatMap(([key, child]) => leavesOf(child, path === "" ? key : `${path}.${key}`));
}

const services: readonly (readonly [string, EditService, fc.Arbitrary<object>])[] = [
  ["Shotstack", shotstack, shotstackEdit],
  ["Creatomate", creatomate, creatomateEdit],
  ["editly", editly, editlyEdit],
];

test.each(services)(
  "any edit of %s becomes a valid request or a named error, and is reported whole",
  (_, service, edits) => {
    fc.assert(
      fc.property(edits, (body) => {
        const { edit, values } = service.prepare(body as Record<string, unknown>);
        const first = mediaReader(values);
        service.read(new Property(edit, "", values), first, values);
        const media = mediaReader(values, fetchedOf(first.wanted));
        const root = new Property(edit, "", values);
        const read = service.read(root, media, values);
        const finished = isNamedError(() => finishEdit(read));
        if (finished) {
          const clips = finished.clips.map(({ assetId: _, ...clip }) => ({ ...clip, sceneIndex: 0 }));
          const { error } = ExportRequest.safeParse({ projectId: "p", workId: "w", ...finished, clips });
          expect(error?.issues).toBeUndefined();
        }
        const { used, changed, ignored } = root.report(body);
        const named = [...used, ...changed, ...ignored].map(({ path }) => path);
        expect(new Set(named).size).toBe(named.length);
        for (const leaf of leavesOf(body)) {
          const covering = named.filter((path) => path === "" || leaf === path || leaf.startsWith(`${path}.`));
          expect([leaf, covering.length]).toEqual([leaf, 1]);
        }
      }),
      { numRuns: 150 },
    );
  },
);

/** The result; undefined for an error that callers understand. */
function isNamedError<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    if (isDomainError(error) && error.code === "validation_error") return undefined;
    throw error;
  }
}
