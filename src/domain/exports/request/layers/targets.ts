import { z } from "zod";
import { type AspectRatio, Length, named, optional, Pixels } from "../../../shared/schemas.ts";
import { textStyleFields } from "../../../shared/text-style.ts";
import { htmlFields } from "./html.ts";
import type { HtmlInTargetInput, LayerInTargetInput, TargetsInput, TextInTargetInput } from "./inputs.ts";
import { wordsOf } from "./refinements.ts";

const about =
  "By aspect ratio, what differs there, in pixels of that frame: the rest stays as it is. Without it, the place is derived from that in the requested frame.";

const place = {
  hidden: optional(z.boolean()).describe("True: is not shown there."),
  centerX: optional(Pixels),
  centerY: optional(Pixels),
  x: optional(Pixels),
  y: optional(Pixels),
};

const size = { width: optional(Length), height: optional(Length) };

const { maxWidth, maxHeight, letterSpacing, padding, radius } = textStyleFields;

/** What differs in a target, with the types written out: inferred ones would be repeated in those of the client. */
export interface InTarget {
  hidden?: boolean | undefined;
  centerX?: number | undefined;
  centerY?: number | undefined;
  x?: number | undefined;
  y?: number | undefined;
}

export interface TextInTarget extends InTarget {
  text?: string | undefined;
  fontSize?: number | undefined;
  maxWidth?: number | undefined;
  maxHeight?: number | undefined;
  letterSpacing?: number | undefined;
  padding?: number | undefined;
  radius?: number | undefined;
}

export interface LayerInTarget extends InTarget {
  width?: number | undefined;
  height?: number | undefined;
}

export interface HtmlInTarget extends LayerInTarget {
  html?: string | undefined;
  css?: string | undefined;
}

export interface Targets<Fields> {
  "9:16"?: Fields | undefined;
  "1:1"?: Fields | undefined;
  "16:9"?: Fields | undefined;
  "4:5"?: Fields | undefined;
}

const inTargets = <Fields, Input>(name: string, fields: z.ZodType<Fields, Input>) => {
  const each = optional(named(name, fields));
  const targets: z.ZodType<Targets<Fields>, TargetsInput<Input>> = named(
    `${name}s`,
    z.strictObject({ "9:16": each, "1:1": each, "16:9": each, "4:5": each }),
  );
  return optional(targets).describe(about);
};

/** The `targets` of a text, of an image or another layer, and of an HTML layer. */
export const targetsOfTexts = inTargets<TextInTarget, TextInTargetInput>(
  "TextInTarget",
  z.object({
    ...place,
    text: optional(z.string().max(10_000)).describe("The same words with other line breaks; other words are ignored."),
    fontSize: optional(z.number().min(1).max(4000)),
    ...{ maxWidth, maxHeight, letterSpacing, padding, radius },
  }),
);
export const targetsOfOthers = inTargets<LayerInTarget, LayerInTargetInput>(
  "LayerInTarget",
  z.object({ ...place, ...size }),
);
export const targetsOfHtml = inTargets<HtmlInTarget, HtmlInTargetInput>(
  "HtmlInTarget",
  z.object({ ...place, ...size, ...{ html: optional(htmlFields.html), css: htmlFields.css } }),
);

type Targeted = {
  readonly targets?: Targets<TextInTarget & HtmlInTarget> | undefined;
  readonly text?: string | undefined;
  readonly spans?: readonly { readonly text: string }[] | undefined;
  readonly layers?: readonly unknown[] | undefined;
};

/** The targets for which a layer, or one in it, has fields of its own. */
export const targetsIn = ({ targets = {}, layers = [] }: Targeted): readonly AspectRatio[] => [
  // safe because the schema allows no other names
  ...(Object.keys(targets) as AspectRatio[]).filter((target) => targets[target]),
  ...layers.flatMap((layer) => targetsIn(layer as Targeted)),
];

/** A text, an image or a layer as a target shows it; undefined if it does not. */
export function inTarget<Item extends Targeted>(item: Item, target: AspectRatio): Item | undefined {
  const { hidden, text, ...fields } = item.targets?.[target] ?? {};
  if (hidden) return undefined;
  // one that is hidden is never visible, but keeps its index: files and errors are found by it
  const layers = (item.layers as readonly Targeted[] | undefined)?.map(
    (layer) => inTarget(layer, target) ?? { ...layer, position: 0, end: 0 },
  );
  return {
    ...(positions.some((name) => fields[name] !== undefined) ? withoutPosition(item) : item),
    ...fields,
    ...(text !== undefined && withLines(item, text)),
    ...(layers && { layers }),
  } as Item;
}

const positions = ["centerX", "centerY", "x", "y"] as const;

const withoutPosition = (item: object) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !positions.some((position) => position === name)));

/** Line breaks for other words are those of an earlier text. */
function withLines(item: Targeted, text: string): Pick<Targeted, "text" | "spans"> {
  const words = (each: string) => each.split(/\s+/).join(" ").trim();
  if (words(wordsOf(item)) !== words(text)) return {};
  const { spans = [] } = item;
  if (spans.length === 0) return { text };
  // each has the same letters as before, and the breaks after them
  let rest = text;
  const broken = spans.map((span, at) => {
    const letters = span.text.replace(/\s+/gu, "").length;
    const [own = ""] = at === spans.length - 1 ? [rest] : (new RegExp(`^\\s*(?:\\S\\s*){${letters}}`).exec(rest) ?? []);
    rest = rest.slice(own.length);
    return { ...span, text: own };
  });
  return { spans: broken, ...(item.text !== undefined && { text }) };
}
