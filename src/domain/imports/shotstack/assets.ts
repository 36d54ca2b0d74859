import { parseColor } from "../../../platform/colors.ts";
import type {
  GradientInput,
  KeyframeInput,
  MoveInput,
  ShadowInput,
  TextLayerInput,
  VideoLayerInput,
} from "../../exports/request/layers/inputs.ts";
import type { Media, MediaType, ReadContext } from "../reading/draft.ts";
import { findFont } from "../reading/fonts.ts";
import { paragraphOf } from "../reading/html-paragraph.ts";
import { changed, ignored, type Property, used } from "../reading/property.ts";
import {
  choice,
  color,
  flag,
  never,
  noted,
  number,
  type Row,
  readBy,
  rounded,
  type Table,
  within,
} from "../reading/rows.ts";
import { tweensOf } from "./motion.ts";
import { argbColor, places } from "./places.ts";

/** What a clip shows or plays. */
export type Asset = {
  kind: "media" | "text" | "html" | "shape" | "sound" | "matte" | "nothing";
  media?: Media | undefined;
  trim: number;
  volume: number;
  volumeFrames?: KeyframeInput<number>[];
  speed: number;
  fades: { in: boolean; out: boolean };
  crop?: { top: number; bottom: number; left: number; right: number };
  chromaKey?: NonNullable<VideoLayerInput["chromaKey"]>;
  words: string;
  look: Omit<TextLayerInput, "type" | "text">;
  animation?: MoveInput;
  /** The font size as a share of the frame's height. */
  fontShare?: number;
  /** Pixels. */
  width?: number;
  height?: number;
  ground?: { color: string; opacity: number; radius: number; hugs: boolean };
  border?: { color: string; width: number };
  padding: { top: number; right: number; bottom: number; left: number };
  html: string;
  css: string;
  shape: {
    shape: "rect" | "ellipse" | "line";
    fill?: string;
    stroke?: { color: string; width: number };
    radius: number;
  };
};

const newAsset = (): Asset => ({
  kind: "nothing",
  trim: 0,
  volume: 1,
  speed: 1,
  fades: { in: false, out: false },
  words: "",
  look: { shadowColor: "transparent" },
  padding: { top: 0, right: 0, bottom: 0, left: 0 },
  html: "",
  css: "",
  shape: { shape: "rect", radius: 0 },
});

type AssetRow = Row<Asset, ReadContext>;
type AssetTable = Table<Asset, ReadContext>;

const share = { min: 0, max: 1 };
const pixels = { min: 0, max: 16_384 };
const unlimited = { min: 0, max: 1_000_000 };

const source =
  (type: MediaType): AssetRow =>
  (property, asset, context) => {
    asset.media = context.media(property, type);
    return undefined;
  };

const fades = (): AssetRow => (property, asset) => {
  const name = property.text ?? "";
  if (!["none", "fadeIn", "fadeOut", "fadeInFadeOut"].includes(name)) return ignored("Is not an effect of a sound.");
  asset.fades = { in: name.startsWith("fadeIn"), out: name.endsWith("Out") };
  return used("fadeIn, fadeOut");
};

const volume: AssetRow = (property, asset) => {
  if (!Array.isArray(property.raw)) {
    return number<Asset, ReadContext>("volume", { min: 0, max: 4 }, (draft, value) => {
      draft.volume = value;
    })(property, asset, noContext);
  }
  asset.volumeFrames = tweensOf(property, "keyframes.volume", { min: 0, max: 4 });
  return undefined;
};

// safe because rows of numbers do not use it
const noContext = undefined as unknown as ReadContext;

const generated = never<Asset, ReadContext>("Generated media are never ordered by an import: upload the file.");

const played: AssetTable = {
  type: noted("type"),
  trim: number("cutFrom", unlimited, (asset, value) => {
    asset.trim = value;
  }),
  volume,
  speed: number("speed", { min: 0.1, max: 10 }, (asset, value) => {
    asset.speed = value;
  }),
  prompt: generated,
  model: generated,
  options: generated,
};

const cropSides: AssetTable = Object.fromEntries(
  (["top", "bottom", "left", "right"] as const).map((side) => [
    side,
    number<Asset, ReadContext>("mask", { min: 0, max: 0.99 }, (asset, value) => {
      asset.crop = { top: 0, bottom: 0, left: 0, right: 0, ...asset.crop, [side]: value };
    }),
  ]),
);

const inner =
  (table: AssetTable): AssetRow =>
  (property, asset, context) => {
    if (!property.isObject) return ignored("Must be an object.");
    readBy(table, property, asset, context);
    return undefined;
  };

const chromaKey = inner({
  color: color("chromaKey.color", (asset, value) => {
    asset.chromaKey = { ...asset.chromaKey, color: value };
  }),
  threshold: (property, asset) => {
    asset.chromaKey = {
      color: "#00ff00",
      ...asset.chromaKey,
      similarity: rounded(within((property.number ?? 0) / 250, share)),
    };
    return changed("Is chromaKey.similarity, whose scale differs.");
  },
  halo: (property, asset) => {
    asset.chromaKey = {
      color: "#00ff00",
      ...asset.chromaKey,
      smoothness: rounded(within((property.number ?? 0) / 250, share)),
    };
    return changed("Is chromaKey.smoothness, whose scale differs.");
  },
});

const family: AssetRow = (property, asset, context) => {
  const name = property.text;
  if (!name) return ignored("Must be the name of a font.");
  const { isKnown, ...font } = findFont(name, context.fonts);
  asset.look = { ...asset.look, ...font };
  return isKnown ? used("fontFamily") : changed(`The family ${name} is not here: the default one is shown instead.`);
};

const fontWeight: AssetRow = (property, asset) => {
  const value = property.number ?? ({ normal: 400, bold: 700 } as const)[property.text as "normal"];
  if (value === undefined) return ignored("Must be a weight from 1 to 1000.");
  asset.look.fontWeight = within(value, { min: 1, max: 1000 });
  return used("fontWeight");
};

/** A color with an opacity beside it. */
export const withOpacity = (text: string, opacity: number): string => {
  const parsed = parseColor(text);
  if (!parsed || opacity >= 1) return text;
  const { red, green, blue, alpha } = parsed;
  return `rgb(${red} ${green} ${blue} / ${rounded(alpha * opacity)})`;
};

const siblingOpacity = (property: Property, name = "opacity"): number => within(property.at(name).number ?? 1, share);

const withSibling =
  (as: string, set: (asset: Asset, value: string) => void): AssetRow =>
  (property, asset, context) =>
    color<Asset, ReadContext>(as, set)(property, asset, context);

/** A table whose color has its opacity beside it. */
function colored(
  as: string,
  set: (asset: Asset, value: string, object: Property) => void,
  others: AssetTable = {},
  byDefault?: string,
): AssetRow {
  return (property, asset, context) => {
    if (!property.isObject) return ignored("Must be an object.");
    if (property.at("color").isAbsent && byDefault)
      set(asset, withOpacity(byDefault, siblingOpacity(property)), property);
    readBy(
      {
        ...others,
        color: withSibling(as, (draft, value) => set(draft, withOpacity(value, siblingOpacity(property)), property)),
        opacity: number(`${as}'s opacity`, share, () => {}),
      },
      property,
      asset,
      context,
    );
    return undefined;
  };
}

const strokeOf = colored(
  "strokeColor",
  (asset, value) => {
    asset.look.strokeColor = value;
  },
  {
    width: number("strokeWidth", { min: 0, max: 200 }, (asset, value) => {
      asset.look.strokeWidth = value;
    }),
  },
);

const fontRows: AssetTable = {
  family,
  weight: fontWeight,
  size: number("fontSize", { min: 1, max: 1000 }, (asset, value) => {
    asset.look.fontSize = value;
  }),
  lineHeight: number("lineHeight", { min: 0.1, max: 10 }, (asset, value) => {
    asset.look.lineHeight = value;
  }),
  style: choice("italic", ["normal", "italic"], (asset, value) => {
    asset.look.italic = value === "italic";
  }),
  background: color("background", (asset, value) => {
    asset.look.background = value;
    asset.look.backgroundBy = "line";
  }),
  stroke: strokeOf,
};

const font = colored(
  "fontColor",
  (asset, value) => {
    asset.look.fontColor = value;
  },
  fontRows,
);

const alignRows: AssetTable = {
  horizontal: choice("align", ["left", "center", "right"], (asset, value) => {
    asset.look.align = value;
  }),
  vertical: choice("verticalAlign", ["top", "center", "middle", "bottom"], (asset, value) => {
    asset.look.verticalAlign = value === "center" ? "middle" : value;
  }),
};

const groundOf = (asset: Asset) => asset.ground ?? { color: "transparent", opacity: 1, radius: 0, hugs: false };

const background = colored(
  "a rectangle behind the text",
  (asset, value) => {
    asset.ground = { ...groundOf(asset), color: value };
  },
  {
    borderRadius: number("radius", { min: 0, max: 1000 }, (asset, value) => {
      asset.ground = { ...groundOf(asset), radius: value };
    }),
    padding: number("padding", { min: 0, max: 1000 }, (asset, value) => {
      asset.padding = { top: value, right: value, bottom: value, left: value };
    }),
    wrap: flag("background", (asset, value) => {
      asset.ground = { ...groundOf(asset), hugs: value };
    }),
  },
);

const width = number<Asset, ReadContext>("width", { min: 1, max: 16_384 }, (asset, value) => {
  asset.width = value;
});
const height = number<Asset, ReadContext>("height", { min: 1, max: 16_384 }, (asset, value) => {
  asset.height = value;
});

const shownWords: AssetRow = (property, asset) => {
  const value = property.template;
  if (value === undefined) return ignored("Must be a text.");
  asset.words = value.slice(0, 10_000);
  return value.length > 10_000 ? changed("Is cut after 10,000 characters.") : used("text");
};

const seconds = { min: 0.01, max: 3600 };

const animations: Readonly<Record<string, (words: boolean, direction: string) => MoveInput>> = {
  typewriter: (byWords) => ({ name: "typewriter", by: byWords ? "word" : "letter" }),
  fadeIn: (byWords) => ({ name: "fade", by: byWords ? "word" : "letter" }),
  slideIn: (byWords, direction) => ({ name: "slide", by: byWords ? "word" : "letter", direction: towards(direction) }),
  ascend: (byWords) => ({ name: "reveal", by: byWords ? "word" : "letter", direction: "up" }),
  shift: (byWords, direction) => ({ name: "slide", by: byWords ? "word" : "letter", direction: towards(direction) }),
  movingLetters: (_, direction) => ({ name: "slide", by: "letter", direction: towards(direction) }),
};

const towards = (name: string) => (["left", "right", "down"] as const).find((each) => each === name) ?? "up";

const animation: AssetRow = (property, asset) => {
  const preset = property.at("preset").text ?? "";
  const make = Object.hasOwn(animations, preset) ? animations[preset] : undefined;
  if (!make) return ignored("Is not an animation of texts.");
  const byWords = property.at("style").text === "word";
  const length = property.at("duration").number;
  asset.animation = {
    ...make(byWords, property.at("direction").text ?? "up"),
    ...(length !== undefined && { seconds: within(length, seconds) }),
  };
  const known = ["preset", "style", "direction", "duration"];
  for (const key of property.keys) {
    if (!known.includes(key)) continue;
    property
      .at(key)
      .mark(
        preset === "typewriter" || preset === "fadeIn"
          ? used(`enter: ${asset.animation.name}`)
          : changed(`Is the entrance ${asset.animation.name}, which is alike.`),
      );
  }
  return undefined;
};

const styleRows: AssetTable = {
  letterSpacing: number("letterSpacing", { min: -200, max: 1000 }, (asset, value) => {
    asset.look.letterSpacing = value;
  }),
  lineHeight: fontRows.lineHeight!,
  wordSpacing: (property) =>
    property.number === 0 ? used("no spacing") : ignored("Words have no spacing of their own."),
  textTransform: choice("case", ["none", "uppercase", "lowercase", "capitalize"], (asset, value) => {
    if (value !== "none")
      asset.look.case = ({ uppercase: "upper", lowercase: "lower", capitalize: "title" } as const)[value];
  }),
  textDecoration: choice("spans.underline, spans.strike", ["none", "underline", "line-through"], (asset, value) => {
    if (value !== "none")
      asset.look.spans = [{ text: "", underline: value === "underline", strike: value !== "underline" }];
  }),
  gradient: (property, asset) => {
    const fill = gradientOf(property);
    if (!fill) return ignored("Must have two colors or more.");
    asset.look.fill = fill;
    return used("fill");
  },
};

function gradientOf(property: Property): GradientInput | undefined {
  const stops = property
    .at("stops")
    .items.slice(0, 32)
    .flatMap((stop) => {
      const text = stop.at("color").text;
      const at = stop.at("offset").number;
      return text === undefined || at === undefined || !parseColor(text)
        ? []
        : [{ at: within(at, share), color: text }];
    });
  if (stops.length < 2) return undefined;
  const type = property.at("type").text === "radial" ? "radial" : "linear";
  // an angle of 0 goes to the right
  const angle = rounded(((property.at("angle").number ?? 0) + 90) % 360);
  return { type, angle, stops };
}

const shadow: AssetRow = (property, asset) => {
  const text = property.at("color").text ?? "#000000";
  if (!property.isObject || !parseColor(text)) return ignored("Must be an object with a color.");
  const { shadowColor: _, ...look } = asset.look;
  const side = (name: string): number => within(property.at(name).number ?? 0, { min: -1000, max: 1000 });
  const drawn: ShadowInput = {
    color: withOpacity(text, within(property.at("opacity").number ?? 0.5, share)),
    // twice the standard deviation
    blur: rounded(within((property.at("blur").number ?? 0) / 2, { min: 0, max: 200 })),
    x: side("offsetX"),
    y: side("offsetY"),
  };
  asset.look = { ...look, shadow: drawn };
  for (const key of ["color", "opacity", "blur", "offsetX", "offsetY"]) property.at(key).mark(used("shadow"));
  return undefined;
};

const padding: AssetRow = (property, asset) => {
  const all = property.number;
  const side = (name: string) => within(property.at(name).number ?? 0, pixels);
  if (all === undefined && !property.isObject) return ignored("Must be a number, or an object of sides.");
  asset.padding =
    all === undefined
      ? { top: side("top"), right: side("right"), bottom: side("bottom"), left: side("left") }
      : { top: all, right: all, bottom: all, left: all };
  if (all !== undefined) return used("padding");
  for (const key of ["top", "right", "bottom", "left"]) property.at(key).mark(used("padding"));
  return undefined;
};

const border = colored(
  "the outline of the rectangle",
  (asset, value) => {
    asset.border = { width: 0, ...asset.border, color: value };
  },
  {
    width: number("stroke.width", { min: 0, max: 1000 }, (asset, value) => {
      asset.border = { color: "#000000", ...asset.border, width: value };
    }),
    radius: number("radius", { min: 0, max: 1000 }, (asset, value) => {
      asset.ground = { ...groundOf(asset), radius: value };
    }),
  },
  "#000000",
);

const htmlPlace: AssetRow = (property, asset) => {
  const place = Object.hasOwn(places, property.text ?? "") ? places[property.text!] : undefined;
  if (!place) return ignored("Is not a position.");
  asset.look.verticalAlign = place[1] < 0 ? "top" : place[1] > 0 ? "bottom" : "middle";
  if (place[0] !== 0 && asset.look.align === undefined) asset.look.align = place[0] < 0 ? "left" : "right";
  return used("verticalAlign");
};

const groundColor: AssetRow = (property, asset) => {
  const text = argbColor(property);
  if (text === undefined || !parseColor(text)) return ignored("Must be a color.");
  if (text !== "transparent") asset.ground = { ...groundOf(asset), color: text };
  return used("a rectangle behind it");
};

/** HTML that is one plain paragraph becomes a text; any other becomes a layer of HTML. */
const html: AssetRow = (property, asset, context) => {
  const source = property.template;
  if (source === undefined) return ignored("Must be a text.");
  return source.length > 60_000
    ? ignored("Must have at most 60,000 characters.")
    : setHtml(source, property, asset, context);
};

function setHtml(source: string, property: Property, asset: Asset, context: ReadContext) {
  asset.html = source;
  asset.css = siblingCss.get(property) ?? "";
  const paragraph = paragraphOf(source, asset.css);
  const isDrawable = paragraph && (paragraph.style.color === undefined || parseColor(paragraph.style.color));
  if (!paragraph || !isDrawable) {
    asset.kind = "html";
    return used("html");
  }
  asset.kind = "text";
  asset.words = paragraph.text.slice(0, 10_000);
  const { color: fontColor, isItalic, fontFamily, fontWeight: weight, ...style } = paragraph.style;
  const found = fontFamily ? findFont(fontFamily, context.fonts) : undefined;
  const { isKnown = true, ...named } = found ?? {};
  asset.look = {
    ...asset.look,
    ...style,
    ...(style.fontSize !== undefined && { fontSize: within(style.fontSize, { min: 1, max: 1000 }) }),
    ...(style.lineHeight !== undefined && { lineHeight: within(style.lineHeight, { min: 0.1, max: 10 }) }),
    ...(style.letterSpacing !== undefined && { letterSpacing: within(style.letterSpacing, { min: -200, max: 1000 }) }),
    fontColor: fontColor ?? "#000000",
    ...named,
    ...(weight !== undefined && { fontWeight: weightOf(weight) }),
    ...(isItalic && { italic: true }),
  };
  return isKnown ? used("text") : changed(`Is a text; the family ${fontFamily} is not here, the default one is shown.`);
}

const weightOf = (text: string): number =>
  text === "bold" || text === "bolder" ? 700 : within(Number(text) || 400, { min: 1, max: 1000 });

/** The CSS beside HTML, which its row needs. */
const siblingCss = new WeakMap<Property, string>();

const styles: Readonly<Record<string, { readonly family: string; readonly weight: number; readonly upper?: boolean }>> =
  {
    minimal: { family: "Inter", weight: 600 },
    blockbuster: { family: "Bebas Neue", weight: 400, upper: true },
    vogue: { family: "Playfair Display", weight: 400 },
    sketchy: { family: "Caveat", weight: 700 },
    skinny: { family: "Inter", weight: 200 },
    chunk: { family: "Archivo Black", weight: 400, upper: true },
    chunkLight: { family: "Inter", weight: 300 },
    marker: { family: "Caveat", weight: 700 },
    future: { family: "Unbounded", weight: 400 },
    subtitle: { family: "Inter", weight: 400 },
  };

/** Shares of the frame's height. */
export const titleSizes: Readonly<Record<string, number>> = {
  "xx-small": 0.03,
  "x-small": 0.04,
  small: 0.055,
  medium: 0.075,
  large: 0.1,
  "x-large": 0.13,
  "xx-large": 0.17,
};

const shapeRows: AssetTable = {
  type: noted("type"),
  shape: (property, asset) => {
    const shape = ({ rectangle: "rect", circle: "ellipse", line: "line" } as const)[property.text as "line"];
    if (!shape) return ignored("Must be one of: rectangle, circle, line.");
    asset.shape.shape = shape;
    return used("shape");
  },
  width,
  height,
  fill: colored("fill", (asset, value) => {
    asset.shape.fill = value;
  }),
  stroke: inner({
    color: color("stroke.color", (asset, value) => {
      asset.shape.stroke = { width: 1, ...asset.shape.stroke, color: value };
    }),
    width: number("stroke.width", { min: 0, max: 1000 }, (asset, value) => {
      asset.shape.stroke = { color: "#000000", ...asset.shape.stroke, width: value };
    }),
  }),
  rectangle: inner({
    width,
    height,
    cornerRadius: number("radius", { min: 0, max: 1000 }, (asset, value) => {
      asset.shape.radius = value;
    }),
  }),
  circle: inner({
    radius: number("width, height", { min: 0.5, max: 8000 }, (asset, value) => {
      asset.width = 2 * value;
      asset.height = 2 * value;
    }),
  }),
  line: inner({
    length: number("width", { min: 1, max: 16_384 }, (asset, value) => {
      asset.width = value;
    }),
    thickness: number("stroke.width", { min: 0, max: 1000 }, (asset, value) => {
      asset.shape.stroke = { color: asset.shape.fill ?? "#ffffff", ...asset.shape.stroke, width: value };
      asset.height = Math.max(1, value);
    }),
  }),
};

type AssetType = { readonly kind: Asset["kind"]; readonly rows: AssetTable };

/** What each type of asset becomes, property by property. */
const assetTypes: Readonly<Record<string, AssetType>> = {
  video: {
    kind: "media",
    rows: {
      ...played,
      src: source("video"),
      crop: inner(cropSides),
      chromaKey,
      volumeEffect: fades(),
      transcode: noted("nothing: any file is converted"),
    },
  },
  image: { kind: "media", rows: { ...played, src: source("image"), crop: inner(cropSides) } },
  audio: { kind: "sound", rows: { ...played, src: source("audio"), effect: fades() } },
  luma: { kind: "matte", rows: { type: noted("mask"), src: source("video"), trim: played.trim! } },
  text: {
    kind: "text",
    rows: {
      type: noted("type"),
      text: shownWords,
      width,
      height,
      font,
      background,
      alignment: inner(alignRows),
      stroke: strokeOf,
      animation,
      ellipsis: never("A text that does not fit becomes smaller instead."),
    },
  },
  "rich-text": {
    kind: "text",
    rows: {
      type: noted("type"),
      text: shownWords,
      font,
      style: inner(styleRows),
      stroke: strokeOf,
      shadow,
      background,
      border,
      padding,
      align: inner(alignRows),
      animation,
    },
  },
  title: {
    kind: "text",
    rows: {
      type: noted("type"),
      text: shownWords,
      style: (property, asset) => {
        const style = Object.hasOwn(styles, property.text ?? "") ? styles[property.text!] : undefined;
        if (!style) return ignored("Is not a style of titles.");
        asset.look = {
          ...asset.look,
          fontFamily: style.family,
          fontWeight: style.weight,
          ...(style.upper && { case: "upper" }),
        };
        return changed(`Is the family ${style.family}, which is alike.`);
      },
      color: color("fontColor", (asset, value) => {
        asset.look.fontColor = value;
      }),
      size: (property, asset) => {
        const size = Object.hasOwn(titleSizes, property.text ?? "") ? titleSizes[property.text!] : undefined;
        if (size === undefined) return ignored(`Must be one of: ${Object.keys(titleSizes).join(", ")}.`);
        asset.fontShare = size;
        return used("fontSize");
      },
      background: groundColor,
      position: htmlPlace,
    },
  },
  html: {
    kind: "html",
    rows: {
      type: noted("type"),
      html,
      css: noted("the style of the text, or css"),
      width,
      height,
      background: groundColor,
      position: htmlPlace,
    },
  },
  html5: {
    kind: "html",
    rows: { type: noted("type"), html, css: noted("css"), js: never("No script runs in a card.") },
  },
  svg: {
    kind: "html",
    rows: {
      type: noted("type"),
      src: (property, asset) => {
        const text = property.text;
        if (text === undefined || !text.includes("<svg")) return ignored("Must be the text of an SVG picture.");
        asset.html = text;
        return text.length > 60_000 ? ignored("Must have at most 60,000 characters.") : used("html");
      },
    },
  },
  shape: { kind: "shape", rows: shapeRows },
};

const notOrdered = "Generated media are never ordered by an import: upload the file, and put it here.";

const unshown: Readonly<Record<string, string>> = {
  caption: "Subtitles are not fetched: send them as captions of the export.",
  "rich-caption": "Subtitles are not fetched: send them as captions of the export.",
  "text-to-image": notOrdered,
  "image-to-video": notOrdered,
  "text-to-speech": notOrdered,
};

/** Reads what a clip shows. */
export function readAsset(property: Property, context: ReadContext): Asset {
  const asset = newAsset();
  const name = property.at("type").text ?? "";
  const type = Object.hasOwn(assetTypes, name) ? assetTypes[name] : undefined;
  if (!type) {
    property.mark(ignored(unshown[name] ?? "Is not a type of asset that is known here."));
    return asset;
  }
  asset.kind = type.kind;
  if (type.kind === "text") asset.look.verticalAlign = "middle";
  if (!property.at("css").isAbsent && property.at("html").raw !== undefined) {
    siblingCss.set(property.at("html"), (property.at("css").text ?? "").slice(0, 60_000));
  }
  readBy(type.rows, property, asset, context);
  return asset;
}

/** The words of an asset, for texts that follow each other. */
export const isPlainText = (asset: Asset): boolean => asset.kind === "text" && asset.animation === undefined;
