import { findFont } from "../reading/fonts.ts";
import { changed, ignored, type Property, used } from "../reading/property.ts";
import { type Bounds, flag, never, noted, rounded, within } from "../reading/rows.ts";
import type { Element, ElementContext, ElementRow, ElementTable } from "./element.ts";
import { fillRows, firstOf, ofAll, still, strokeRows, value } from "./element-properties.ts";
import { colorOf, isKeyed, numberFrames, pixelsOf, shareOf } from "./values.ts";

const fontFamily: ElementRow = (property, element, { fonts }) => {
  const name = firstOf(property).text;
  if (!name) return ignored("Must be the name of a font.");
  const { isKnown, fontWeight, ...font } = findFont(name, fonts);
  Object.assign(element.look, font);
  if (fontWeight !== undefined) element.look.fontWeight ??= fontWeight;
  if (isKnown) return still(property, used("fontFamily"));
  return changed(`The family ${name} is not here: the default one is shown instead.`);
};

const textSize =
  (name: "min" | "max"): ElementRow =>
  (property, element) => {
    const size = pixelsOf(firstOf(property), element.parent.size.height, element.parent.frame);
    if (size === undefined) return ignored("Must be a number.");
    if (element.isAuto) element.look[name] = rounded(within(size, { min: 1, max: 1000 }));
    return element.isAuto ? used(name) : used("nothing: the size is fixed");
  };

/** The font size, or about the one that fills the box. */
export function sizeOfFont({ fontSize, box, words, look }: Element): number {
  if (fontSize !== undefined) return fontSize;
  const letters = Math.max(1, words.length);
  const filling = Math.min(box.height / 1.15, Math.sqrt((box.width * box.height) / (letters * 0.62)));
  return within(filling, {
    min: Number(look.min ?? 1),
    max: Math.max(Number(look.min ?? 1), Number(look.max ?? 1000)),
  });
}

const inFontSizes =
  (as: string, bounds: Bounds): ElementRow =>
  (property, element) => {
    const length = pixelsOf(firstOf(property), sizeOfFont(element), element.parent.frame);
    if (length === undefined) return ignored("Must be a number.");
    element.look[as] = rounded(within(length, bounds));
    return still(
      property,
      element.isAuto ? changed(`Is ${element.look[as]} pixels, from about the size of the letters.`) : used(as),
    );
  };

const transforms = { none: undefined, uppercase: "upper", lowercase: "lower", capitalize: "title" } as const;

const subtitles = never<Element, ElementContext>(
  "Words are not heard from a file: send them as captions of the export.",
);

/** The properties of texts. Those that depend on the size of the letters come after it. */
export const textRows: ElementTable = {
  ...ofAll,
  ...fillRows,
  text: noted("text"),
  font_size: (property, element) => {
    if (isKeyed(property)) {
      const read = (each: Property) => pixelsOf(each, element.parent.size.height, element.parent.frame);
      element.keyframes.fontSize = numberFrames(property, element.length, { min: 1, max: 1000 }, read);
      return used("keyframes.fontSize");
    }
    return element.fontSize === undefined ? ignored("Must be a number.") : used("fontSize");
  },
  font_size_minimum: textSize("min"),
  font_size_maximum: textSize("max"),
  font_family: fontFamily,
  font_weight: (property, element) => {
    const weight = ({ normal: 400, bold: 700 } as const)[firstOf(property).text as "bold"] ?? firstOf(property).number;
    if (weight === undefined) return ignored("Must be a weight from 1 to 1000.");
    element.look.fontWeight = within(weight, { min: 1, max: 1000 });
    return still(property, used("fontWeight"));
  },
  font_style: (property, element) => {
    element.look.italic = firstOf(property).text === "italic";
    return still(property, used("italic"));
  },
  letter_spacing: inFontSizes("letterSpacing", { min: -200, max: 1000 }),
  line_height: value("lineHeight", { min: 0.1, max: 10 }, shareOf),
  text_wrap: flag("wrap", (element, wraps) => {
    element.look.wrap = wraps;
  }),
  text_clip: (property) =>
    property.flag === false ? used("nothing") : changed("A text that does not fit becomes smaller instead."),
  text_transform: (property, element) => {
    const name = firstOf(property).text ?? "";
    if (!Object.hasOwn(transforms, name)) return ignored("Must be one of: none, uppercase, lowercase, capitalize.");
    const value = transforms[name as "none"];
    if (value) element.look.case = value;
    return still(property, used("case"));
  },
  x_alignment: (property, element) => {
    const at = shareOf(firstOf(property));
    if (at === undefined) return ignored("Must be a percentage.");
    element.look.align = at < 0.25 ? "left" : at > 0.75 ? "right" : "center";
    return still(property, used("align"));
  },
  y_alignment: (property, element) => {
    const at = shareOf(firstOf(property));
    if (at === undefined) return ignored("Must be a percentage.");
    element.look.verticalAlign = at < 0.25 ? "top" : at > 0.75 ? "bottom" : "middle";
    return still(property, used("verticalAlign"));
  },
  background_color: (property, element) => {
    const color = colorOf(firstOf(property));
    if (!color) return ignored("Must be a CSS color.");
    element.look.background = color;
    element.look.backgroundBy = "line";
    return still(property, used("background"));
  },
  background_x_padding: inFontSizes("paddingX", { min: 0, max: 1000 }),
  background_y_padding: inFontSizes("paddingY", { min: 0, max: 1000 }),
  background_border_radius: inFontSizes("radius", { min: 0, max: 1000 }),
  background_align_threshold: (property, element) => {
    if ((shareOf(firstOf(property)) ?? 0) < 1) return changed("Each line has a ground of its own width.");
    element.look.backgroundBy = "block";
    return used("backgroundBy");
  },
  ...strokeRows,
  stroke_start: never("Letters have a whole outline."),
  stroke_end: never("Letters have a whole outline."),
  stroke_offset: never("Letters have a whole outline."),
  transcript_source: subtitles,
  transcript_effect: subtitles,
  transcript_split: subtitles,
  transcript_placement: subtitles,
  transcript_maximum_length: subtitles,
  transcript_color: subtitles,
};
