import { safeZoneOf } from "../../../engine/timeline/safe-zone.ts";
import { contrastRatio, parseColor } from "../../../platform/colors.ts";
import { withoutUndefined } from "../../../platform/values.ts";
import type { Palette, PaletteRole } from "../../brand/brand.ts";
import type { OverlayTiming, TemplateContent, TemplateImageOverlay, TemplateTextOverlay } from "../templates.ts";

/** A placeholder with an example value that explains it. */
type Placeholder = { readonly key: string; readonly description: string; readonly example: string };

/** An optional image of the project. Without one, the template has no overlay there. */
type Slot = { readonly name: string; readonly description: string };

type Area = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
type Timing = Pick<OverlayTiming, "startPercent" | "endPercent" | "startSeconds" | "endSeconds">;

/** A text that always stays inside its area: it wraps, then shrinks. */
export type TextBlock = {
  readonly id: string;
  /** The placeholder of this id by default. */
  readonly text?: string;
  /** The area in the group, including the box. */
  readonly area: Area;
  readonly fontSize: number;
  /** The text has the palette's color for texts, or one that is readable on the box. */
  readonly box: { readonly color: PaletteRole; readonly padding: number; readonly radius: number };
  /** The design's timing by default. */
  readonly timing?: Timing;
  readonly style?: Pick<
    TemplateTextOverlay,
    "align" | "verticalAlign" | "fontWeight" | "lineHeight" | "animateIn" | "animateOut"
  >;
};

type ImageBlock = { readonly slot: string; readonly area: Area; readonly timing?: Timing };

/** A template of the library: blocks in a group, which is positioned in the safe zone. */
export type Design = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly placeholders: readonly Placeholder[];
  readonly slots: readonly Slot[];
  readonly size: { readonly width: number; readonly height: number };
  /** The share of the free space in the safe zone that is left of and above the group. */
  readonly position: { readonly x: number; readonly y: number };
  /** The whole video by default. */
  readonly timing?: Timing;
  readonly texts: readonly TextBlock[];
  readonly images: readonly ImageBlock[];
};

/** The frame in which designs are laid out; other frames are derived from it. */
const designSize = { width: 1080, height: 1920 };

const defaultPalette: Required<Palette> = {
  primary: "#16324f",
  secondary: "#e8edf2",
  accent: "#f5b83d",
  text: "#ffffff",
  background: "#10151c",
};

type Filling = {
  readonly palette: Palette;
  readonly assets: { readonly [slot: string]: string };
  /** The direction of the values' language: `rtl` mirrors the layout. */
  readonly direction?: "ltr" | "rtl" | undefined;
};

/** The content of a template with the colors of a palette and the images of its slots. */
export function contentOf(given: Design, { palette, assets, direction }: Filling): TemplateContent {
  const design = direction === "rtl" ? mirrored(given) : given;
  const origin = originOf(design);
  const { timing: usual = { startPercent: 0, endPercent: 100 } } = design;
  const colors: Required<Palette> = { ...defaultPalette, ...withoutUndefined(palette) };
  const centerOf = ({ x, y, width, height }: Area) => ({
    centerX: Math.round(origin.x + x + width / 2 - designSize.width / 2),
    centerY: Math.round(origin.y + y + height / 2 - designSize.height / 2),
  });
  return {
    layoutSize: designSize,
    textOverlays: design.texts.map((block) =>
      textOf({ timing: usual, ...block }, colors, { ...centerOf(block.area), group: design.id }),
    ),
    imageOverlays: design.images.flatMap(({ slot, area, timing = usual }): TemplateImageOverlay[] => {
      const assetId = Object.hasOwn(assets, slot) ? assets[slot] : undefined;
      if (assetId === undefined) return [];
      const { width, height } = area;
      const style = { opacity: 1, rotation: 0, maintainAspectRatio: true, group: design.id };
      return [{ id: slot, assetId, width, height, ...centerOf(area), ...style, ...timingOf(timing) }];
    }),
  };
}

const oppositeSides = { left: "right", center: "center", right: "left" } as const;

/** Mirrors positions left of the middle to the right. */
function mirrored({ size, position, texts, images, ...design }: Design): Design {
  const mirror = (area: Area) => ({ ...area, x: size.width - area.x - area.width });
  return {
    ...design,
    size,
    position: { x: 1 - position.x, y: position.y },
    texts: texts.map(({ area, style, ...text }) => {
      const align = oppositeSides[style?.align ?? "center"];
      return { ...text, area: mirror(area), style: { ...style, align } };
    }),
    images: images.map(({ area, ...image }) => ({ ...image, area: mirror(area) })),
  };
}

function originOf({ size, position }: Design) {
  const zone = safeZoneOf(designSize);
  return {
    x: zone.x + position.x * (zone.width - size.width),
    y: zone.y + position.y * (zone.height - size.height),
  };
}

type GroupCenter = { readonly centerX: number; readonly centerY: number; readonly group: string };

function textOf(
  { id, text = `{{${id}}}`, area, fontSize, box, style, timing }: TextBlock & { readonly timing: Timing },
  colors: Required<Palette>,
  center: GroupCenter,
): TemplateTextOverlay {
  return {
    id,
    text,
    fontSize,
    fontColor: readableOn(colors[box.color], colors),
    ...center,
    maxWidth: area.width - 2 * box.padding,
    maxHeight: area.height - 2 * box.padding,
    background: colors[box.color],
    padding: box.padding,
    radius: box.radius,
    ...style,
    ...timingOf(timing),
  };
}

const timingOf = (timing: Timing): OverlayTiming => ({
  timingMode: timing.startSeconds === undefined && timing.endSeconds === undefined ? "relative" : "absolute",
  ...timing,
});

/** WCAG 2 AA for text of any size. */
const minContrast = 4.5;

/** The palette's text color if it is readable there, otherwise the most readable of its colors, white and black. */
function readableOn(box: string, { text, background }: Required<Palette>): string {
  const candidates = [text, background, "#ffffff", "#000000"];
  const contrast = (color: string) => contrastRatio(parseColor(color)!, parseColor(box)!); // safe: all are CSS colors
  const readable = candidates.find((color) => contrast(color) >= minContrast);
  return readable ?? candidates.toSorted((one, other) => contrast(other) - contrast(one))[0]!; // safe: it is not empty
}
