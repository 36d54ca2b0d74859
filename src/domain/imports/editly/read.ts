import { parseColor } from "../../../platform/colors.ts";
import type {
  HtmlLayerInput,
  KeyframeInput,
  LayerInput,
  SoundInput,
  TextLayerInput,
} from "../../exports/request/layers/inputs.ts";
import type { Draft, EditService, Media, ReadContext, ReadEdit, SoundDraft } from "../reading/draft.ts";
import { fontKey } from "../reading/fonts.ts";
import { changed, ignored, type Property, used, type Verdict } from "../reading/property.ts";
import { flag, never, noted, number, type Row, readBy, rounded, type Table, within } from "../reading/rows.ts";
import { glTransition } from "./transitions.ts";

type Config = {
  width?: number;
  height?: number;
  fps?: number;
  format: "mp4" | "gif" | "webm";
  isDraft: boolean;
  clips: Property[];
  defaults: Defaults;
  keepsSound: boolean;
  repeatsAudio: boolean;
  clipsVolume: number;
  outputVolume: number;
  audioPath?: Property;
  tracks: Property[];
};

type TransitionDraft = { name: string; seconds: number } | null;

type Defaults = {
  duration: number;
  transition: TransitionDraft | undefined;
  layer: Property | undefined;
  layerType: Property | undefined;
};

type ConfigTable = Table<Config, ReadContext>;

const tool = noted<Config, ReadContext>("nothing: it is about the program");

const transitionRows: Table<{ value: { name: string; seconds: number } }, ReadContext> = {
  name: (property, draft) => {
    const name = property.text ?? "random";
    draft.value.name = name;
    const { kind, isSame } = glTransition(name);
    return isSame ? used(`transition: ${kind}`) : changed(`Is the transition ${kind}, the nearest one.`);
  },
  duration: number("transitionDuration", { min: 0, max: 3600 }, (draft, value) => {
    draft.value.seconds = value;
  }),
  easing: (property) => (property.text === "linear" ? used("linear") : changed("Transitions are linear.")),
  params: (property) =>
    property.keys.length === 0 ? used("nothing") : changed("Transitions have no parameters: the nearest one is taken."),
  audioOutCurve: (property) => (property.text === "tri" ? used("a linear fade") : changed("Sounds fade linearly.")),
  audioInCurve: (property) => (property.text === "tri" ? used("a linear fade") : changed("Sounds fade linearly.")),
};

function transitionOf(property: Property, context: ReadContext): TransitionDraft | undefined {
  if (property.raw === null) {
    property.mark(used("transition: cut"));
    return null;
  }
  if (!property.isObject) return undefined;
  const draft = { value: { name: "random", seconds: 0.5 } };
  readBy(transitionRows, property, draft, context);
  return property.at("duration").number === 0 ? null : draft.value;
}

/** What each property of the configuration becomes. */
const configRows: ConfigTable = {
  outPath: (property, config) => {
    const extension = /\.(gif|webm)$/i.exec(property.text ?? "")?.[1]?.toLowerCase();
    if (extension === "gif" || extension === "webm") config.format = extension;
    return used("options.format");
  },
  width: number("options.width", { min: 16, max: 4096 }, (config, value) => {
    config.width = value;
  }),
  height: number("options.height", { min: 16, max: 4096 }, (config, value) => {
    config.height = value;
  }),
  fps: number("options.fps", { min: 1, max: 120 }, (config, value) => {
    config.fps = value;
  }),
  fast: flag("options.quality", (config, value) => {
    config.isDraft = value;
  }),
  customOutputArgs: () => changed("Is the quality of the export: options.quality."),
  clips: (property, config) => {
    config.clips = [...property.items];
    return property.items.length > 0 ? undefined : used("nothing");
  },
  defaults: (property, config, context) => {
    readBy<Defaults, ReadContext>(
      {
        duration: number("end of clips", { min: 0.01, max: 3600 }, (defaults, value) => {
          defaults.duration = value;
        }),
        transition: (each, defaults) => {
          defaults.transition = transitionOf(each, context);
          return undefined;
        },
        layer: (each, defaults) => {
          defaults.layer = each;
          return used("the layers");
        },
        layerType: (each, defaults) => {
          defaults.layerType = each;
          return used("the layers of these types");
        },
      },
      property,
      config.defaults,
      context,
    );
    if (property.at("transition").raw === null) {
      config.defaults.transition = null;
      property.at("transition").mark(used("transition: cut"));
    }
    return property.isObject && property.keys.length > 0 ? undefined : used("nothing");
  },
  audioTracks: (property, config) => {
    config.tracks = [...property.items];
    return property.items.length > 0 ? undefined : used("nothing");
  },
  audioFilePath: (property, config) => {
    config.audioPath = property;
    return undefined;
  },
  backgroundAudioPath: (property, config) => {
    config.audioPath = property;
    return undefined;
  },
  loopAudio: flag("repeat", (config, value) => {
    config.repeatsAudio = value;
  }),
  keepSourceAudio: flag("volume", (config, value) => {
    config.keepsSound = value;
  }),
  clipsAudioVolume: (property, config) => {
    const value = property.number;
    if (value === undefined) return ignored("Must be a number.");
    config.clipsVolume = Math.max(0, value);
    return changed("Is a volume beside that of the loudest sound.");
  },
  outputVolume: (property, config) => {
    const decibels = /^\s*(-?\d+(?:\.\d+)?)\s*dB\s*$/i.exec(property.text ?? "")?.[1];
    const value = decibels === undefined ? property.number : 10 ** (Number(decibels) / 20);
    if (value === undefined) return ignored("Must be a number, or decibels such as -10dB.");
    config.outputVolume = within(value, { min: 0, max: 4 });
    return used("volume");
  },
  audioNorm: never("Sounds keep their volumes: audio.normalize of an export makes all equally loud."),
  allowRemoteRequests: tool,
  enableFfmpegLog: tool,
  verbose: tool,
  logTimes: tool,
  keepTmp: tool,
  ffmpegPath: tool,
  ffprobePath: tool,
};

/** A clip's place in time. */
type Span = { readonly start: number; readonly seconds: number; readonly fitsVideos: boolean };

type Layer = {
  type: string;
  path?: Media | undefined;
  text: string;
  cutFrom: number;
  cutTo?: number;
  start: number;
  stop?: number;
  mixVolume: number;
  fit: "contain" | "cover" | "stretch" | "blur";
  zoom: "in" | "out" | "left" | "right" | null | undefined;
  zoomAmount?: number;
  width?: number;
  height?: number;
  left?: number;
  top?: number;
  originX: number;
  originY: number;
  place: Place;
  fontSize: number;
  charSpacing: number;
  look: Pick<TextLayerInput, "fontColor" | "fontFamily" | "fontAssetId">;
  ground?: string;
  color?: string;
  colors?: readonly [string, string];
  background?: Property;
};

/** The point of the frame and the point of the box that lies on it, as shares. */
type Place = { readonly x: number; readonly y: number; readonly originX: number; readonly originY: number };

const margin = 0.05;

const placeOf = (vertical: string, horizontal: string): Place => ({
  x: horizontal === "left" ? margin : horizontal === "right" ? 1 - margin : 0.5,
  y: vertical === "top" ? margin : vertical === "bottom" ? 1 - margin : 0.5,
  originX: horizontal === "left" ? 0 : horizontal === "right" ? 1 : 0.5,
  originY: vertical === "top" ? 0 : vertical === "bottom" ? 1 : 0.5,
});

const origins: Readonly<Record<string, number>> = { left: 0, top: 0, center: 0.5, right: 1, bottom: 1 };

const position: LayerRow = (property, layer) => {
  if (property.isObject) {
    const share = (name: string) => within(property.at(name).number ?? 0.5, { min: -2, max: 3 });
    const origin = (name: string) => origins[property.at(name).text ?? ""] ?? 0;
    layer.place = { x: share("x"), y: share("y"), originX: origin("originX"), originY: origin("originY") };
    for (const key of ["x", "y", "originX", "originY"]) property.at(key).mark(used("centerX, centerY"));
    return undefined;
  }
  const [, vertical, horizontal = "center"] = /^(top|center|bottom)(?:-(left|right))?$/.exec(property.text ?? "") ?? [];
  if (!vertical) return ignored("Is not a position.");
  layer.place = placeOf(vertical, horizontal);
  return used("centerX, centerY");
};

type LayerRow = Row<Layer, ReadContext>;
type LayerTable = Table<Layer, ReadContext>;

const seconds = { min: 0, max: 1_000_000 };

const timeRows: LayerTable = {
  type: noted("type"),
  start: number("position", { min: 0, max: 3600 }, (layer, value) => {
    layer.start = value;
  }),
  stop: number("end", { min: 0, max: 3600 }, (layer, value) => {
    layer.stop = value;
  }),
};

const file =
  (type: "image" | "video" | "audio"): LayerRow =>
  (property, layer, context) => {
    layer.path = context.media(property, type);
    return undefined;
  };

const mixVolume: LayerRow = (property, layer) => {
  const value = property.number;
  if (value === undefined) return ignored("Must be a number.");
  layer.mixVolume = Math.max(0, value);
  return value === 1 || value === 0 ? used("volume") : changed("Is a volume beside that of the loudest sound.");
};

const cutRows: LayerTable = {
  cutFrom: number("cutFrom", seconds, (layer, value) => {
    layer.cutFrom = value;
  }),
  cutTo: number("end", seconds, (layer, value) => {
    layer.cutTo = value;
  }),
  mixVolume,
};

const fits = { contain: "contain", "contain-blur": "blur", cover: "cover", stretch: "stretch" } as const;

const resizeMode: LayerRow = (property, layer) => {
  const fit = fits[property.text as "cover"];
  if (!fit) return ignored(`Must be one of: ${Object.keys(fits).join(", ")}.`);
  layer.fit = fit;
  return used("fit");
};

const share = { min: 0, max: 10 };

const sizeRows: LayerTable = {
  width: number("width", share, (layer, value) => {
    layer.width = value;
  }),
  height: number("height", share, (layer, value) => {
    layer.height = value;
  }),
};

const kenBurns: LayerTable = {
  zoomDirection: (property, layer) => {
    const found = (["in", "out", "left", "right"] as const).find((name) => name === property.text);
    if (!found) return ignored("Must be one of: in, out, left, right.");
    layer.zoom = found;
    return used("keyframes");
  },
  zoomAmount: number("keyframes", { min: 0, max: 10 }, (layer, value) => {
    layer.zoomAmount = value;
  }),
};

const textRows: LayerTable = {
  text: (property, layer) => {
    layer.text = (property.template ?? "").slice(0, 10_000);
    return used("text");
  },
  textColor: (property, layer) =>
    setColor(property, "fontColor", (color) => {
      layer.look.fontColor = color;
    }),
  fontPath: (property, layer, context) => {
    const font = context.media(property, "font");
    if (font?.assetId) layer.look.fontAssetId = font.assetId;
    return undefined;
  },
  fontFamily: (property, layer, { fonts }) => {
    const name = property.text ?? "";
    const assetId = fonts.get(fontKey(name));
    layer.look.fontFamily = name.slice(0, 200);
    if (assetId) layer.look.fontAssetId = assetId;
    return used("fontFamily");
  },
};

function setColor(property: Property, as: string, set: (color: string) => void): Verdict {
  const text = property.text;
  if (text === undefined || !parseColor(text)) return ignored("Must be a CSS color.");
  set(text);
  return used(as);
}

const origin =
  (set: (layer: Layer, value: number) => void): LayerRow =>
  (property, layer) => {
    const value = origins[property.text ?? ""];
    if (value === undefined) return ignored("Must be one of: left, center, right, top, bottom.");
    set(layer, value);
    return used("centerX, centerY");
  };

const colorsRow: LayerRow = (property, layer) => {
  const [one, other] = property.items.map(({ text }) => text ?? "");
  if (!one || !other || !parseColor(one) || !parseColor(other)) return ignored("Must be two colors.");
  layer.colors = [one, other];
  return used("fill");
};

const fillRows: LayerTable = {
  ...timeRows,
  color: (property, layer) =>
    setColor(property, "fill", (color) => {
      layer.color = color;
    }),
};

const gradientRows: LayerTable = { ...timeRows, colors: colorsRow };

const backgroundColor: LayerRow = (property, layer) =>
  setColor(property, "background", (color) => {
    layer.ground = color;
  });

const delays: LayerTable = {
  delay: (property) => (property.number === 0 ? used("enter") : changed("The entrance begins at once.")),
  speed: (property) => (property.number === 1 ? used("enter") : changed("The entrance has its own speed.")),
};

const notDrawn = "Is not drawn: a layer runs no program.";

/** What each type of layer becomes, property by property. */
const layerTypes: Readonly<Record<string, LayerTable>> = {
  video: {
    ...timeRows,
    path: file("video"),
    ...cutRows,
    resizeMode,
    ...sizeRows,
    left: number("centerX", { min: -10, max: 10 }, (layer, value) => {
      layer.left = value;
    }),
    top: number("centerY", { min: -10, max: 10 }, (layer, value) => {
      layer.top = value;
    }),
    originX: origin((layer, value) => {
      layer.originX = value;
    }),
    originY: origin((layer, value) => {
      layer.originY = value;
    }),
  },
  image: { ...timeRows, path: file("image"), resizeMode, duration: noted("the clip's end"), ...kenBurns },
  "image-overlay": { ...timeRows, path: file("image"), position, ...sizeRows, ...kenBurns },
  audio: { ...timeRows, path: file("audio"), ...cutRows },
  "detached-audio": { ...timeRows, path: file("audio"), ...cutRows },
  title: { ...timeRows, ...textRows, position, ...kenBurns },
  subtitle: { ...timeRows, ...textRows, backgroundColor, ...delays },
  "news-title": { ...timeRows, ...textRows, backgroundColor, position: never("Lies at the top left."), ...delays },
  "slide-in-text": {
    ...timeRows,
    ...textRows,
    position,
    fontSize: number("fontSize", { min: 0, max: 1 }, (layer, value) => {
      layer.fontSize = value;
    }),
    charSpacing: number("letterSpacing", { min: 0, max: 10 }, (layer, value) => {
      layer.charSpacing = value;
    }),
    color: textRows.textColor!,
  },
  "title-background": {
    ...timeRows,
    ...textRows,
    background: (property, layer) => {
      layer.background = property;
      return undefined;
    },
  },
  "fill-color": fillRows,
  pause: fillRows,
  "linear-gradient": gradientRows,
  "radial-gradient": gradientRows,
  "rainbow-colors": timeRows,
};

const unshown: Readonly<Record<string, string>> = {
  gl: notDrawn,
  canvas: notDrawn,
  fabric: notDrawn,
  "editly-banner": "Is not drawn: it names the other program.",
};

const newLayer = (type: string): Layer => ({
  type,
  text: "",
  cutFrom: 0,
  start: 0,
  mixVolume: 1,
  fit: "blur",
  zoom: undefined,
  originX: 0,
  originY: 0,
  place: placeOf("center", "center"),
  fontSize: 0.05,
  charSpacing: 0.1,
  look: {},
});

function readLayer(property: Property, defaults: Defaults, context: ReadContext): Layer | undefined {
  const type = property.at("type").text ?? "";
  const table = Object.hasOwn(layerTypes, type) ? layerTypes[type] : undefined;
  if (!table) {
    property.mark(ignored(unshown[type] ?? "Is not a type of layer that is known here."));
    // an empty place, over which titles stay readable
    return unshown[type] === notDrawn ? { ...newLayer("fill-color"), color: "#c9ced6" } : undefined;
  }
  const layer = newLayer(type);
  for (const byDefault of [defaults.layer, defaults.layerType?.at(type)]) {
    if (byDefault?.isObject) readBy(table, byDefault, layer, context);
  }
  readBy(table, property, layer, context);
  if (property.at("zoomDirection").raw === null) {
    layer.zoom = null;
    property.at("zoomDirection").mark(used("no move"));
  }
  return layer;
}

type Frame = { readonly width: number; readonly height: number };
type Times = { readonly position: number; readonly end: number };

const limit = { min: -16_384, max: 16_384 };
const length = (value: number): number => rounded(within(value, { min: 1, max: 16_384 }));

/** The center of a box of this size at a place, from the center of the frame. */
const centered = ({ x, y, originX, originY }: Place, box: Frame, frame: Frame) => ({
  centerX: rounded(within((x - 0.5) * frame.width + (0.5 - originX) * box.width, limit)),
  centerY: rounded(within((y - 0.5) * frame.height + (0.5 - originY) * box.height, limit)),
});

/** A picture that grows, shrinks or moves while it is visible. */
function moved({ zoom, zoomAmount = 0.1 }: Layer, byDefault: Layer["zoom"], centerX = 0) {
  const direction = zoom === undefined ? byDefault : zoom;
  const evenly = (from: number, to: number): KeyframeInput<number>[] => [
    { at: 0, value: rounded(from) },
    { at: "100%", value: rounded(to) },
  ];
  if (!direction) return {};
  if (direction === "in") return { keyframes: { scale: evenly(1, 1 + zoomAmount) } };
  if (direction === "out") return { keyframes: { scale: evenly(1 + zoomAmount, 1) } };
  const half = (direction === "right" ? 1 : -1) * zoomAmount * 500;
  return {
    keyframes: {
      scale: [{ at: 0, value: rounded(1.3 + zoomAmount) }],
      centerX: evenly(within(centerX - half, limit), within(centerX + half, limit)),
    },
  };
}

type Stage = { readonly frame: Frame; readonly times: Times; readonly speed: number; readonly volume: number };

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\n", "<br>");

const palette = ["#264653", "#2a9d8f", "#6d597a", "#355070", "#b56576"];

/** Editly takes random colors: these are the same in every import. */
const anyColor = (seed: number): string => palette[seed % palette.length]!;

function gradientOf(type: string, colors: readonly [string, string], { times }: Stage): LayerInput {
  const stops = colors.map((color, at) => ({ at, color }));
  if (type === "radial-gradient") {
    return { type: "shape", shape: "rect", ...times, fill: { type: "radial", stops } };
  }
  const at = (angle: number) => ({ type: "linear" as const, angle, stops });
  const fill = [
    { at: 0, value: at(135) },
    { at: "100%", value: at(165) },
  ];
  return { type: "shape", shape: "rect", ...times, fill: at(135), keyframes: { fill } };
}

const rainbow = ["#ff0000", "#ffa500", "#ffff00", "#00c000", "#0060ff", "#8000ff"];

/** Layers of one type, bottom first. */
const drawn: Readonly<Record<string, (layer: Layer, stage: Stage, seed: number) => readonly LayerInput[]>> = {
  "fill-color": ({ color }, { times }, seed) => [
    { type: "shape", shape: "rect", ...times, fill: color ?? anyColor(seed) },
  ],
  pause: ({ color }, { times }, seed) => [{ type: "shape", shape: "rect", ...times, fill: color ?? anyColor(seed) }],
  "linear-gradient": ({ type, colors }, stage, seed) => [
    gradientOf(type, colors ?? [anyColor(seed), anyColor(seed + 1)], stage),
  ],
  "radial-gradient": ({ type, colors }, stage, seed) => [
    gradientOf(type, colors ?? [anyColor(seed), anyColor(seed + 1)], stage),
  ],
  "rainbow-colors": (_, { times }) => [
    {
      type: "shape",
      shape: "rect",
      ...times,
      fill: {
        type: "linear",
        angle: 90,
        stops: rainbow.map((color, index) => ({ at: rounded(index / (rainbow.length - 1)), color })),
      },
    },
  ],
  title: (layer, { frame, times }) => {
    const box = { width: length(0.8 * frame.width), height: length(0.9 * frame.height) };
    const { centerX, centerY } = centered(layer.place, box, frame);
    return [
      {
        type: "text",
        text: layer.text,
        ...times,
        ...words(layer),
        fontSize: within(Math.round(Math.min(frame.width, frame.height) * 0.1), { min: 1, max: 1000 }),
        fontWeight: 400,
        maxWidth: box.width,
        maxHeight: box.height,
        verticalAlign: layer.place.originY === 0 ? "top" : layer.place.originY === 1 ? "bottom" : "middle",
        centerX,
        centerY,
        ...moved({ zoomAmount: 0.2, ...layer }, "in", centerX),
      },
    ];
  },
  subtitle: (layer, { frame, times }) => {
    const shorter = Math.min(frame.width, frame.height);
    const css = `.all { height: 100%; display: flex; flex-direction: column; justify-content: flex-end } .words { padding: ${rounded(0.05 * shorter)}px; font-size: ${rounded(shorter / 20)}px; line-height: 1.16; color: ${layer.look.fontColor ?? "#ffffff"}; background: ${layer.ground ?? "rgba(0,0,0,0.3)"} }`;
    return [card(layer, css, times, { enter: { name: "fade", seconds: 0.6, easing: "out-expo" } })];
  },
  "news-title": (layer, { frame, times }) => {
    const shorter = Math.min(frame.width, frame.height);
    const css = `.all { padding-top: ${rounded(0.08 * frame.height - 0.03 * shorter)}px; display: flex; align-items: flex-start } .words { padding: ${rounded(0.03 * shorter)}px ${rounded(0.07 * shorter)}px; font-size: ${Math.round(0.05 * shorter)}px; letter-spacing: ${rounded((0.05 * shorter * frame.width * 0.1) / 1000)}px; color: ${layer.look.fontColor ?? "#ffffff"}; background: ${layer.ground ?? "#d02a42"} }`;
    const enter = { name: "fly", direction: "right" as const, seconds: 0.8, easing: "out-expo" };
    return [card(layer, css, times, { enter })];
  },
  "slide-in-text": (layer, { frame, times }) => {
    const seconds = times.end - times.position;
    const fontSize = within(Math.round(layer.fontSize * frame.width), { min: 1, max: 1000 });
    const box = { width: length(0.9 * frame.width), height: length(0.9 * frame.height) };
    const side = (share: number) => (share === 0 ? "left" : share === 1 ? "right" : "center");
    return [
      {
        type: "text",
        text: layer.text,
        ...words(layer),
        position: rounded(times.position + 0.1 * seconds),
        end: rounded(times.position + 0.9 * seconds),
        fontSize,
        fontWeight: 400,
        letterSpacing: rounded(within((fontSize * frame.width * layer.charSpacing) / 1000, { min: 0, max: 1000 })),
        align: side(layer.place.originX),
        maxWidth: box.width,
        maxHeight: box.height,
        verticalAlign: layer.place.originY === 0 ? "top" : layer.place.originY === 1 ? "bottom" : "middle",
        ...centered(layer.place, box, frame),
        enter: { name: "wipe", direction: "right", seconds: rounded(0.2 * seconds), easing: "in-out-cubic" },
        exit: { name: "fade", seconds: rounded(0.1 * seconds) },
      },
    ];
  },
  "image-overlay": (layer, { frame, times }) => {
    const { path } = layer;
    if (!path?.assetId) return [];
    const ratio = path.width && path.height ? path.height / path.width : 1;
    const box =
      layer.width === undefined && layer.height !== undefined
        ? { width: (layer.height * frame.height) / ratio, height: layer.height * frame.height }
        : { width: (layer.width ?? 1) * frame.width, height: (layer.width ?? 1) * frame.width * ratio };
    const { centerX, centerY } = centered(layer.place, box, frame);
    return [
      {
        type: "image",
        assetId: path.assetId,
        ...times,
        width: length(box.width),
        height: length(box.height),
        centerX,
        centerY,
        ...moved(layer, null, centerX),
      },
    ];
  },
};

const words = ({ look }: Layer) => ({ ...look, fontColor: look.fontColor ?? "#ffffff", shadowColor: "transparent" });

function card(layer: Layer, css: string, times: Times, moves: Pick<HtmlLayerInput, "enter">): LayerInput {
  const html = `<div class="all"><div class="words">${escaped(layer.text)}</div></div>`;
  return { type: "html", html, css, ...times, ...moves };
}

/** A picture or a video: in the whole frame, or in a part of it. */
function pictureDraft(from: Property, layer: Layer, stage: Stage): readonly Draft[] {
  const { frame, times, speed, volume } = stage;
  const { path } = layer;
  const size = {
    width: length((layer.width ?? 1) * frame.width),
    height: length((layer.height ?? 1) * frame.height),
  };
  const isVideo = layer.type === "video";
  const place = { x: layer.left ?? 0, y: layer.top ?? 0, originX: layer.originX, originY: layer.originY };
  const center = isVideo ? centered(place, size, frame) : { centerX: 0, centerY: 0 };
  if (!path) return [];
  if (path.assetId === "") {
    return [{ from, layer: { type: "shape", shape: "rect", fill: "#c9ced6", ...times, ...size, ...center } }];
  }
  const fit = layer.fit === "blur" ? "contain" : layer.fit;
  const isOverBlur = layer.fit === "blur";
  const common = { assetId: path.assetId, ...times, ...size, ...center, fit } as const;
  if (path.type === "image") {
    return [{ from, isOverBlur, layer: { type: "image", ...common, ...moved(layer, isVideo ? null : "in") } }];
  }
  const video = {
    ...(layer.cutFrom > 0 && { cutFrom: layer.cutFrom }),
    ...(Math.abs(speed - 1) > 0.001 && { speed: rounded(within(speed, { min: 0.1, max: 10 })) }),
    ...(volume !== 1 && { volume }),
  };
  return [{ from, isOverBlur, layer: { type: "video", ...common, ...video } }];
}

const mediaLength = ({ path, cutFrom, cutTo }: Layer): number | undefined => {
  const end = cutTo ?? path?.seconds;
  return end === undefined ? undefined : Math.max(0.01, Math.min(end, path?.seconds ?? end) - cutFrom);
};

type ReadClip = { readonly property: Property; readonly layers: readonly { from: Property; layer: Layer }[] } & {
  readonly duration: number;
  readonly isGiven: boolean;
  readonly transition: TransitionDraft;
};

function readClip(property: Property, config: Config, context: ReadContext): ReadClip {
  const list = property.at("layers");
  const { defaults } = config;
  const read = (list.isObject ? [list] : list.items).flatMap((from) => {
    const layer = readLayer(from, defaults, context);
    return layer ? [{ from, layer }] : [];
  });
  const given = property.at("duration").number;
  property.at("duration").mark(given === undefined ? ignored("Must be a number.") : used("end"));
  const own = property.at("transition");
  const transition = own.raw === undefined ? defaults.transition : (transitionOf(own, context) ?? null);
  const video = read.find(({ layer }) => layer.type === "video")?.layer;
  const duration = given ?? (video && mediaLength(video)) ?? defaults.duration;
  return {
    property,
    layers: read,
    duration: within(duration, { min: 0.04, max: 3600 }),
    isGiven: given !== undefined,
    transition: transition === undefined ? { name: "random", seconds: 0.5 } : transition,
  };
}

const even = (value: number): number => within(2 * Math.round(value / 2), { min: 16, max: 4096 });

function frameOf({ width, height }: Config, clips: readonly ReadClip[]): Frame {
  const first = clips.flatMap(({ layers }) => layers).find(({ layer }) => layer.type === "video" && layer.path?.width);
  const { width: w = 640, height: h = 640 } = first?.layer.path ?? {};
  const chosen = width ?? (height === undefined ? 640 : (height * w) / h);
  return { width: even(chosen), height: even(height ?? (chosen * h) / w) };
}

function readEdit(root: Property, context: ReadContext, values: ReadEdit["values"]): ReadEdit {
  const config: Config = {
    format: "mp4",
    isDraft: false,
    clips: [],
    defaults: { duration: 4, transition: undefined, layer: undefined, layerType: undefined },
    keepsSound: false,
    repeatsAudio: false,
    clipsVolume: 1,
    outputVolume: 1,
    tracks: [],
  };
  readBy(configRows, root, config, context);
  const clips = config.clips.map((clip) => readClip(clip, config, context));
  const frame = frameOf(config, clips);
  const loudest = Math.max(
    ...[1, config.clipsVolume, ...config.tracks.map((track) => track.at("mixVolume").number ?? 1)],
    ...clips.flatMap(({ layers }) => layers.map(({ layer }) => layer.mixVolume)),
  );
  const volumeOf = (mix: number): number => rounded(within((mix / loudest) * config.outputVolume, { min: 0, max: 4 }));
  const base: Draft[] = [];
  const above: Draft[] = [];
  const sounds: SoundDraft[] = [];
  let start = 0;
  let end = 0;
  for (const [index, clip] of clips.entries()) {
    const before = clips[index - 1];
    const seconds = before?.transition
      ? Math.min(before.transition.seconds, before.duration / 2, clip.duration / 2)
      : 0;
    start = Math.max(0, end - seconds);
    end = start + clip.duration;
    const transition =
      before?.transition && seconds > 0
        ? { kind: glTransition(before.transition.name).kind, seconds: rounded(seconds) }
        : undefined;
    const drafts = clip.layers.flatMap(({ from, layer }) => {
      const span = { start, seconds: clip.duration, fitsVideos: clip.isGiven };
      if (layer.type === "audio" || layer.type === "detached-audio") {
        sounds.push(...soundOf(from, layer, span, volumeOf));
        return [];
      }
      return draftsOf(from, layer, {
        span,
        frame,
        index,
        context,
        volume: config.keepsSound ? volumeOf(layer.mixVolume * config.clipsVolume) : 0,
      });
    });
    const [first, ...others] = drafts;
    if (first) base.push({ ...first, transition });
    // what lies over the first layer of a clip enters with it
    above.push(...others.map((draft) => ({ ...draft, ...(isAtStart(draft, start) && { transition }) })));
  }
  sounds.push(...musicOf(config, context, end, volumeOf));
  return {
    ...frame,
    fps: config.fps ?? 25,
    duration: end > 0 ? rounded(end) : undefined,
    options: {
      background: "#000000",
      ...(config.format !== "mp4" && { format: config.format }),
      ...(config.isDraft && { quality: "draft" as const }),
    },
    tracks: withLayersInOrder(base, above),
    sounds,
    values,
  };
}

const isAtStart = ({ layer }: Draft, start: number): boolean => Math.abs((layer.position ?? 0) - start) < 0.001;

/** The first layers of the clips are a track: the others lie over it, in the order of their clips. */
const withLayersInOrder = (base: readonly Draft[], above: readonly Draft[]) => [base, above];

type DraftStage = {
  readonly span: Span;
  readonly frame: Frame;
  readonly index: number;
  readonly context: ReadContext;
  readonly volume: number;
};

function draftsOf(from: Property, layer: Layer, stage: DraftStage): readonly Draft[] {
  const { span, frame, index, context, volume } = stage;
  const position = rounded(span.start + layer.start);
  const end = rounded(span.start + Math.min(layer.stop ?? span.seconds, span.seconds));
  if (end <= position) {
    from.mark(ignored("Ends before it begins."));
    return [];
  }
  const natural = mediaLength(layer);
  const speed = natural !== undefined && span.fitsVideos ? natural / (end - position) : 1;
  const inStage = { frame, times: { position, end }, speed, volume };
  if (layer.type === "video" || layer.type === "image") return pictureDraft(from, layer, inStage);
  if (layer.type === "title-background") return titleOver(from, layer, { ...inStage, index, context });
  if (layer.type === "rainbow-colors")
    from.at("type").mark(changed("Is a gradient of these colors, which stands still."));
  return (drawn[layer.type]?.(layer, inStage, index) ?? []).map((each) => ({ from, layer: each }));
}

function titleOver(
  from: Property,
  layer: Layer,
  stage: Stage & { readonly index: number; readonly context: ReadContext },
): readonly Draft[] {
  const { index, context } = stage;
  const none: Defaults = { duration: 0, transition: null, layer: undefined, layerType: undefined };
  const ground = layer.background?.isObject ? readLayer(layer.background, none, context) : undefined;
  const below = ground ?? newLayer(index % 2 === 0 ? "linear-gradient" : "radial-gradient");
  const shown = drawn[below.type]?.(below, stage, index) ?? [];
  return [...shown, ...drawn.title!(layer, stage, index)].map((each) => ({ from, layer: each }));
}

function soundOf(from: Property, layer: Layer, span: Span, volumeOf: (mix: number) => number): readonly SoundDraft[] {
  const { path, cutFrom, cutTo } = layer;
  if (!path?.assetId) return [];
  const position = rounded(span.start + layer.start);
  const cut = cutTo === undefined ? undefined : Math.max(0.01, cutTo - cutFrom);
  const isAttached = layer.type === "audio";
  const room = span.start + span.seconds - position;
  const speed = isAttached && cut !== undefined ? within(cut / room, { min: 0.5, max: 10 }) : 1;
  const end = isAttached ? span.start + span.seconds : cut === undefined ? undefined : position + cut;
  return [
    {
      from,
      sound: {
        assetId: path.assetId,
        position,
        ...(end !== undefined && { end: rounded(end) }),
        ...(cutFrom > 0 && { cutFrom }),
        ...(Math.abs(speed - 1) > 0.001 && { speed: rounded(speed) }),
        volume: volumeOf(layer.mixVolume),
      },
    },
  ];
}

function musicOf(
  config: Config,
  context: ReadContext,
  end: number,
  volumeOf: (mix: number) => number,
): readonly SoundDraft[] {
  const music = config.audioPath && context.media(config.audioPath, "audio");
  const own: SoundDraft[] =
    config.audioPath && music?.assetId
      ? [
          {
            from: config.audioPath,
            sound: {
              assetId: music.assetId,
              role: "music",
              volume: volumeOf(1),
              ...(config.repeatsAudio && { repeat: true, end: rounded(end) }),
            },
          },
        ]
      : [];
  const tracks = config.tracks.flatMap((track): SoundDraft[] => {
    const layer = newLayer("detached-audio");
    readBy(layerTypes["detached-audio"]!, track, layer, context);
    const span: Span = { start: 0, seconds: end, fitsVideos: false };
    return soundOf(track, layer, span, volumeOf).map(
      ({ from, sound }): SoundDraft => ({
        from,
        sound: { ...sound, role: "music" } satisfies SoundInput,
      }),
    );
  });
  return [...own, ...tracks];
}

/** Edits of editly: a list of clips with layers. */
export const editly: EditService = { prepare: (edit) => ({ edit, values: new Map() }), read: readEdit };
