import { parseColor } from "../../../platform/colors.ts";
import type { TextLayerInput } from "../../exports/request/layers/inputs.ts";
import type { Media, ReadContext } from "../reading/draft.ts";
import { fontKey } from "../reading/fonts.ts";
import { changed, ignored, type Property, used, type Verdict } from "../reading/property.ts";
import { never, noted, number, type Row, readBy, type Table, within } from "../reading/rows.ts";
import type { Defaults } from "./config.ts";

export type Layer = {
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
export type Place = { readonly x: number; readonly y: number; readonly originX: number; readonly originY: number };

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
export const layerTypes: Readonly<Record<string, LayerTable>> = {
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

export const newLayer = (type: string): Layer => ({
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

export function readLayer(property: Property, defaults: Defaults, context: ReadContext): Layer | undefined {
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
