import { expect, test } from "bun:test";
import { creatomate } from "../../../src/domain/imports/creatomate/read.ts";
import { editly } from "../../../src/domain/imports/editly/read.ts";
import { finishEdit } from "../../../src/domain/imports/finish.ts";
import { type FetchedMedia, mediaReader } from "../../../src/domain/imports/media.ts";
import type { EditService, MediaType } from "../../../src/domain/imports/reading/draft.ts";
import { bundledNames } from "../../../src/domain/imports/reading/fonts.ts";
import { paragraphOf } from "../../../src/domain/imports/reading/html-paragraph.ts";
import { Property } from "../../../src/domain/imports/reading/property.ts";
import { shotstack } from "../../../src/domain/imports/shotstack/read.ts";
import { bundledFamilies } from "../../../src/engine/text/fonts/files.ts";

const kindOf = (address: string): MediaType =>
  address.endsWith("png") ? "image" : address.endsWith("mp3") ? "audio" : "video";

/** Reads an edit whose files are there: pictures and videos of 1920 × 1080, of ten seconds. */
function imported(service: EditService, body: Record<string, unknown>) {
  const { edit, values } = service.prepare(body);
  const wanted = mediaReader(values);
  service.read(new Property(edit, "", values), wanted, values);
  const files = [...wanted.wanted.keys()].map((address): [string, FetchedMedia] => {
    const kind = kindOf(address);
    const facts = { kind, width: 1920, height: 1080, ...(kind !== "image" && { durationSeconds: 10, hasSound: true }) };
    return [address, { asset: { id: address, type: kind, file: { facts } } } as unknown as FetchedMedia];
  });
  const root = new Property(edit, "", values);
  const media = mediaReader(values, new Map(files));
  const read = service.read(root, media, values);
  return {
    ...finishEdit(read),
    values: Object.fromEntries([...read.values, ...media.assetValues]),
    report: root.report(body),
  };
}

const output = { format: "mp4", size: { width: 640, height: 360 } };

const clip = (asset: object, start: number, length: number, more: object = {}) => ({ asset, start, length, ...more });

test("the families of the service are known by their names", () => {
  expect([...bundledNames].toSorted()).toEqual(bundledFamilies.map(({ name }) => name).toSorted());
});

test("the lowest track of Shotstack becomes clips, what lies over it layers", () => {
  const { clips, layers, report } = imported(shotstack, {
    timeline: {
      tracks: [
        {
          clips: [
            clip({ type: "image", src: "logo.png" }, 1, 2, {
              scale: 0.25,
              position: "topRight",
              transition: { in: "slideLeftFast" },
            }),
          ],
        },
        {
          clips: [
            clip({ type: "video", src: "a.mp4", trim: 2, volume: 0.5 }, 0, 3, { transition: { in: "fade" } }),
            clip({ type: "image", src: "b.png" }, 3, 2, { effect: "zoomIn" }),
          ],
        },
      ],
    },
    output,
  });
  expect(clips).toEqual([
    {
      ...{ assetId: "a.mp4", position: 0, end: 3, fit: "cover", cutFrom: 2, volume: 0.5 },
      keyframes: {
        opacity: [
          { at: 0, value: 0 },
          { at: 1, value: 1, easing: "ease-in-out" },
        ],
      },
    },
    {
      ...{ assetId: "b.png", position: 3, end: 5, fit: "cover" },
      keyframes: {
        scale: [
          { at: 0, value: 1 },
          { at: "100%", value: 1.3 },
        ],
      },
    },
  ]);
  expect(layers).toEqual([
    {
      ...{ type: "image", assetId: "logo.png", position: 1, end: 3, width: 160, height: 90, fit: "cover" },
      // at the right edge, and at the top
      ...{ centerX: 240, centerY: -135 },
      enter: { name: "slide", direction: "left", distance: 16, easing: "linear", seconds: 0.25 },
    },
  ]);
  expect([report.changed, report.ignored]).toEqual([[], []]);
});

test("merge fields stay placeholders in texts and media, and are filled elsewhere", () => {
  const { layers, values, report } = imported(shotstack, {
    timeline: {
      tracks: [
        {
          clips: [
            clip(
              { type: "text", text: "{{ NAME }}!", font: { color: "{{COLOR}}", size: 40 }, width: 300, height: 80 },
              0,
              2,
            ),
          ],
        },
        { clips: [clip({ type: "image", src: "{{ PICTURE }}" }, 0, 2)] },
      ],
    },
    output,
    merge: [
      { find: "NAME", replace: "Ann" },
      { find: "COLOR", replace: "#ff0000" },
      { find: "PICTURE", replace: "p.png" },
    ],
  });
  expect(layers).toMatchObject([
    { type: "image", assetId: "{{PICTURE}}" },
    { type: "text", text: "{{NAME}}!", fontColor: "#ff0000", maxWidth: 300 },
  ]);
  expect(values).toEqual({ NAME: "Ann", COLOR: "#ff0000", PICTURE: "p.png" });
  expect(report.changed.map(({ path }) => path)).toEqual(["timeline.tracks.0.clips.0.asset.font.color"]);
});

test("a number that counts becomes one text whose words change", () => {
  const numbers = [10, 9, 8].map((count, index) => clip({ type: "title", text: `${count}`, style: "chunk" }, index, 1));
  const { layers } = imported(shotstack, { timeline: { tracks: [{ clips: numbers }] }, output });
  expect(layers).toHaveLength(1);
  expect(layers[0]).toMatchObject({
    ...{ position: 0, end: 3 },
    keyframes: {
      text: [
        { at: 0, value: "10" },
        { at: 1, value: "9" },
        { at: 2, value: "8" },
      ],
    },
  });
});

test("an unknown property, type or name is ignored with its path", () => {
  const { report, layers } = imported(shotstack, {
    timeline: {
      tracks: [
        { clips: [clip({ type: "text", text: "Hi", glow: { size: 3 } }, 0, 1), clip({ type: "hologram" }, 0, 1)] },
      ],
    },
    output: { ...output, format: "avi" },
    extra: [1, 2],
  });
  expect(layers).toHaveLength(1);
  expect(report.ignored.map(({ path }) => path)).toEqual([
    "timeline.tracks.0.clips.0.asset.glow",
    "timeline.tracks.0.clips.1.asset",
    "output.format",
    "extra",
  ]);
});

test("elements of Creatomate that follow each other on a track overlap by their transitions", () => {
  const { clips, layers, sounds, options } = imported(creatomate, {
    width: 640,
    height: 360,
    elements: [
      { type: "image", track: 1, duration: 3, source: "a.png" },
      {
        type: "image",
        track: 1,
        duration: 3,
        source: "b.png",
        animations: [{ type: "fade", time: "start", duration: 1, transition: true }],
      },
      {
        type: "text",
        track: 2,
        text: "Hello",
        width: "50%",
        height: "25%",
        y: "25%",
        font_family: "Inter",
        fill_color: "#fff",
        x_alignment: "50%",
      },
      { type: "audio", source: "m.mp3", duration: null, audio_fade_out: 2 },
    ],
  });
  expect(clips).toEqual([
    {
      assetId: "a.png",
      position: 0,
      end: 2,
      fit: "cover",
      move: { name: "zoom-in", amount: 0 },
      transition: "fade",
      transitionDuration: 1,
    },
    { assetId: "b.png", position: 2, end: 5, fit: "cover", move: { name: "zoom-in", amount: 0 } },
  ]);
  expect(layers).toMatchObject([
    { text: "Hello", fontSize: "auto", width: 320, height: 90, centerX: 0, centerY: -90, align: "center" },
  ]);
  expect(sounds).toEqual([{ assetId: "m.mp3", position: 0, end: 5, role: "music", fadeOut: 2 }]);
  expect(options).toMatchObject({ width: 640, height: 360 });
});

test("a second entrance of Creatomate turns its element by keyframes, from its own angle", () => {
  const animation = { time: "start", duration: 1 };
  const { layers, report } = imported(creatomate, {
    ...{ width: 640, height: 360, duration: 3 },
    elements: [
      {
        ...{ type: "text", text: "Hi", font_size: 40, z_rotation: "-5°" },
        animations: [
          { ...animation, type: "scale" },
          { ...animation, type: "spin", rotation: "360°" },
        ],
      },
    ],
  });
  expect(layers).toMatchObject([
    {
      enter: { name: "scale", from: 0, seconds: 1 },
      keyframes: {
        rotation: [
          { at: 0, value: -365 },
          { at: 1, value: -5 },
        ],
      },
    },
  ]);
  expect(report.ignored).toEqual([]);
});

test("a matte of Shotstack hides what is bright in it, while it lasts", () => {
  const { layers } = imported(shotstack, {
    timeline: {
      tracks: [{ clips: [clip({ type: "video", src: "a.mp4" }, 0, 4), clip({ type: "luma", src: "m.mp4" }, 3, 1)] }],
    },
    output,
  });
  expect(layers).toMatchObject([
    {
      ...{ type: "group", id: "matte-0-0-0", position: 0, end: 4 },
      layers: [{ type: "shape" }, { type: "video", assetId: "m.mp4", position: 3, end: 4, filter: { invert: 1 } }],
    },
    { type: "video", assetId: "a.mp4", mask: { layer: "matte-0-0-0", by: "luma" } },
  ]);
});

test("modifications and dynamic elements of Creatomate become placeholders", () => {
  const { layers, values, report } = imported(creatomate, {
    source: {
      ...{ width: 640, height: 360, duration: 2 },
      elements: [
        { name: "Title", type: "text", text: "Old", font_size: 40 },
        { name: "Note", type: "text", text: "Kept", font_size: 20, dynamic: true },
      ],
    },
    modifications: { Title: "New", "Note.fill_color": "#00ff00", Nobody: "x" },
  });
  expect(layers).toMatchObject([{ text: "{{Title}}" }, { text: "{{Note}}", fontColor: "#00ff00" }]);
  expect(values).toEqual({ Title: "New", Note: "Kept" });
  expect(report.ignored).toEqual([{ path: "modifications.Nobody", why: "No element has this name." }]);
});

test("clips of editly become clips over their blurred pictures, their titles layers", () => {
  const { clips, layers, report } = imported(editly, {
    ...{ outPath: "./a.mp4", width: 640, height: 360, fps: 25 },
    clips: [
      {
        duration: 3,
        transition: { name: "directional-left", duration: 1 },
        layers: [
          { type: "image", path: "a.png" },
          { type: "title", text: "Hi" },
        ],
      },
      { duration: 3, layers: { type: "video", path: "b.mp4", cutFrom: 1, cutTo: 7 } },
    ],
  });
  expect(clips).toMatchObject([
    { position: 0, end: 2, fit: "blur", transition: "push-left", transitionDuration: 1 },
    // six seconds in three
    { position: 2, end: 5, fit: "blur", cutFrom: 1, speed: 2, volume: 0 },
  ]);
  expect(layers).toMatchObject([{ type: "text", text: "Hi", position: 0, end: 3, fontSize: 36 }]);
  expect(report.ignored).toEqual([]);
});

test("HTML is a text if it is one plain paragraph", () => {
  const css = "p { color: \"#fff\"; font-size: 36px; font-family: 'Lato'; text-align: left; line-height: 120% }";
  expect(paragraphOf("<p>A &amp; B<br>C</p>", css)).toEqual({
    text: "A & B\nC",
    style: { color: "#fff", fontSize: 36, fontFamily: "Lato", align: "left", lineHeight: 1.2 },
  });
  expect(paragraphOf("<p>A <b>B</b></p>", "")).toBeUndefined();
  expect(paragraphOf("<p>A</p>", "p { display: grid }")).toBeUndefined();
  expect(paragraphOf("<p>A</p>", "@media print { p { color: red } }")).toBeUndefined();
});

test("compositions of Creatomate loop for their whole time, shrink as a whole, and turn like cards", () => {
  const square = { type: "shape", path: "M 0 0 L 100 0 L 100 100 L 0 100 Z", fill_color: "#fff" };
  const frames = (...values: [number, unknown][]) => values.map(([time, value]) => ({ time, value }));
  const { layers, report } = imported(creatomate, {
    ...{ output_format: "mp4", width: 640, height: 360, duration: 8 },
    elements: [
      { type: "composition", duration: 2, loop: true, elements: [square] },
      {
        ...{ type: "composition", y_rotation: frames([4, 0], [5, 180]) },
        ...{ width: frames([1, "100%"], [3, "50%"]), elements: [square], repeat: true },
      },
    ],
  });
  const [looped, shrunk] = layers as unknown as [object, { readonly keyframes: Record<string, object[]> }];
  expect(looped).toMatchObject({ type: "group", position: 0, end: 8, repeat: true, layers: [{ position: 0, end: 2 }] });
  expect(shrunk).toMatchObject({ type: "group", centerX: 0, width: 640 });
  expect(report.ignored.map(({ path }) => path)).toEqual(["elements.1.repeat"]);
  expect(report.changed.map(({ path }) => path)).toEqual(["elements.1.y_rotation", "elements.1.width"]);
});

test("a text of Creatomate that is as high as its words lies about its point", () => {
  const text = { type: "text", width: "75%", text: "Hello" };
  const { layers } = imported(creatomate, { output_format: "png", width: 640, height: 360, elements: [text] });
  expect(layers).toMatchObject([{ fontSize: "auto", width: 480, centerY: 0, verticalAlign: "middle" }]);
});
