import { z } from "zod";
import { animations, textAligns, verticalAligns } from "../../../engine/timeline/overlay.ts";
import { safeZoneOf } from "../../../engine/timeline/safe-zone.ts";
import { withoutUndefined } from "../../../platform/values.ts";
import { type Palette, paletteRoles } from "../../brand/brand.ts";
import type { OverlayTiming, TemplateContent, TemplateImageOverlay, TemplateTextOverlay } from "../templates.ts";
import { defaultPalette, readableOn } from "./colors.ts";
import { type Filling, pageLayer } from "./page.ts";

/** The kinds of templates, in the order in which the library lists them. */
export const templateKinds = [
  ...(["intro", "lower-third", "offer", "sale", "countdown", "quote", "review", "list"] as const),
  ...(["before-after", "event", "social", "frame", "end-card"] as const),
] as const;

const Words = z.string().min(1);
const Area = z.strictObject({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
const Timing = z.strictObject({
  startPercent: z.number().optional(),
  endPercent: z.number().optional(),
  startSeconds: z.number().optional(),
  endSeconds: z.number().optional(),
});
const Move = z.union([z.string(), z.looseObject({ name: z.string() })]);
const Role = z.enum(paletteRoles);

/** A text that always stays inside its area: it wraps, then shrinks. */
const TextBlock = z.strictObject({
  id: Words,
  /** The placeholder of this id by default. */
  text: Words.optional(),
  /** The area in the group, including the box. */
  area: Area,
  fontSize: z.number(),
  /** The text has the palette's color for texts, or one that is readable on the box. */
  box: z.strictObject({ color: Role, padding: z.number(), radius: z.number() }),
  /** The design's timing by default. */
  timing: Timing.optional(),
  enter: Move.optional(),
  exit: Move.optional(),
  style: z
    .strictObject({
      align: z.enum(textAligns),
      verticalAlign: z.enum(verticalAligns),
      fontFamily: z.string(),
      fontWeight: z.number(),
      lineHeight: z.number(),
      letterSpacing: z.number(),
      case: z.literal("upper"),
      rotation: z.number(),
      animateIn: z.enum(animations),
      animateOut: z.enum(animations),
    })
    .partial()
    .optional(),
});

const ImageBlock = z.strictObject({
  slot: Words,
  area: Area,
  timing: Timing.optional(),
  enter: Move.optional(),
  exit: Move.optional(),
});

/** The file template.json of a design. */
const DesignFile = z.strictObject({
  /** Templates with a number are listed first. */
  order: z.number().optional(),
  name: Words.max(60),
  description: Words.max(300),
  kind: z.enum(templateKinds),
  tags: z.array(Words),
  /** An example explains a placeholder. */
  placeholders: z.array(z.strictObject({ key: z.string().regex(/^\w+$/), description: Words, example: Words })),
  /** Optional images of the project. Without one, the template has nothing there. */
  slots: z.array(z.strictObject({ name: z.string().regex(/^\w+$/), description: Words })).default([]),
  /** The whole video by default. */
  timing: Timing.optional(),
  /** How its page moves as a whole; its elements have animations of CSS. */
  page: z
    .strictObject({ exit: Move, loop: Move, keyframes: z.looseObject({}), anchor: z.looseObject({}) })
    .partial()
    .default({}),
  /** Texts and images in a group, which is positioned in the safe zone. */
  blocks: z
    .strictObject({
      size: z.strictObject({ width: z.number(), height: z.number() }),
      /** The share of the free space in the safe zone that is left of and above the group. */
      position: z.strictObject({ x: z.number(), y: z.number() }),
      texts: z.array(TextBlock),
      images: z.array(ImageBlock),
    })
    .optional(),
});

type Area = z.output<typeof Area>;
type Timing = z.output<typeof Timing>;
type TextBlock = z.output<typeof TextBlock>;
type Blocks = NonNullable<z.output<typeof DesignFile>["blocks"]>;

/** A template of the library. */
export type Design = z.output<typeof DesignFile> & {
  readonly id: string;
  /** A page of HTML in the whole frame, which sets itself for any shape of it. */
  readonly html: string;
  readonly css: string;
};

/** The designs of the library by id, in the order in which they are listed. */
export type Designs = ReadonlyMap<string, Design>;

export type DesignFiles = { readonly [name: string]: string };

/** A design from its files. Throws if template.json is wrong. */
export function designOf(id: string, files: DesignFiles, shared: string): Design {
  const page = files["page.html"] ?? "";
  const [, style = "", html = page] = /^\s*<style>(.*?)<\/style>(.*)$/s.exec(page) ?? [];
  const css = page && `${shared}\n${style}`;
  return { ...DesignFile.parse(JSON.parse(files["template.json"] ?? "{}")), id, html: html.trim(), css };
}

/** The frame in which blocks are laid out; other frames are derived from it. */
const designSize = { width: 1080, height: 1920 };

/** The content of a template with the colors of a palette and the images of its slots. */
export function contentOf(design: Design, { palette, assets, direction, showsSlots }: Filling): TemplateContent {
  const { timing = { startPercent: 0, endPercent: 100 } } = design;
  const filling = { palette: { ...defaultPalette, ...withoutUndefined(palette) }, assets, direction, showsSlots };
  const layers = design.html ? { layers: [pageLayer({ ...design, timing }, filling)] } : {};
  if (!design.blocks) return { textOverlays: [], imageOverlays: [], ...layers };
  const blocks = direction === "rtl" ? mirrored(design.blocks) : design.blocks;
  return { layoutSize: designSize, ...overlaysOf({ ...blocks, id: design.id, timing }, filling), ...layers };
}

type TimedBlocks = Blocks & { readonly id: string; readonly timing: Timing };

function overlaysOf(
  { id: group, timing: usual, ...blocks }: TimedBlocks,
  { palette, assets }: Filling<Required<Palette>>,
) {
  const origin = originOf(blocks);
  const centerOf = ({ x, y, width, height }: Area) => ({
    centerX: Math.round(origin.x + x + width / 2 - designSize.width / 2),
    centerY: Math.round(origin.y + y + height / 2 - designSize.height / 2),
  });
  return {
    textOverlays: blocks.texts.map((block) =>
      textOf({ timing: usual, ...block }, palette, { ...centerOf(block.area), group }),
    ),
    imageOverlays: blocks.images.flatMap(({ slot, area, timing = usual, enter, exit }): TemplateImageOverlay[] => {
      const assetId = Object.hasOwn(assets, slot) ? assets[slot] : undefined;
      if (assetId === undefined) return [];
      const { width, height } = area;
      const style = { opacity: 1, rotation: 0, maintainAspectRatio: true, group, ...withoutUndefined({ enter, exit }) };
      return [{ id: slot, assetId, width, height, ...centerOf(area), ...style, ...timingOf(timing) }];
    }),
  };
}

const oppositeSides = { left: "right", center: "center", right: "left" } as const;

/** A move to the right is one to the left in a mirrored layout. */
function turned(move: z.output<typeof Move> | undefined) {
  if (typeof move !== "object") return move;
  const direction = oppositeSides[move.direction as "left"] ?? move.direction;
  return { ...move, ...withoutUndefined({ direction }) };
}

/** Mirrors positions left of the middle to the right. */
function mirrored({ size, position, texts, images }: Blocks): Blocks {
  const mirror = (area: Area) => ({ ...area, x: size.width - area.x - area.width });
  return {
    size,
    position: { x: 1 - position.x, y: position.y },
    texts: texts.map(({ area, style, enter, exit, ...text }) => {
      const align = oppositeSides[style?.align ?? "center"];
      const moves = withoutUndefined({ enter: turned(enter), exit: turned(exit) });
      return { ...text, ...moves, area: mirror(area), style: { ...style, align } };
    }),
    images: images.map(({ area, ...image }) => ({ ...image, area: mirror(area) })),
  };
}

function originOf({ size, position }: Pick<Blocks, "size" | "position">) {
  const zone = safeZoneOf(designSize);
  return {
    x: zone.x + position.x * (zone.width - size.width),
    y: zone.y + position.y * (zone.height - size.height),
  };
}

type GroupCenter = { readonly centerX: number; readonly centerY: number; readonly group: string };

function textOf(
  { id, text = `{{${id}}}`, area, fontSize, box, style, timing, enter, exit }: TextBlock & { readonly timing: Timing },
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
    ...{ animateIn: "none", animateOut: "none" },
    ...withoutUndefined({ ...style, enter, exit }),
    ...timingOf(timing),
  };
}

const timingOf = (timing: Timing): OverlayTiming => ({
  timingMode: timing.startSeconds === undefined && timing.endSeconds === undefined ? "relative" : "absolute",
  ...timing,
});
