import { z } from "zod";
import { type AspectRatio, aspectRatios, Length, named, optional, Pixels } from "../../../shared/schemas.ts";
import { textStyleFields } from "../../../shared/text-style.ts";
import { htmlFields } from "./html.ts";
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

const inTargets = <Fields extends z.ZodRawShape>(name: string, fields: Fields) =>
  optional(z.partialRecord(z.enum(aspectRatios), optional(named(name, z.object(fields))))).describe(about);

/** The `targets` of a text, of an image or another layer, and of an HTML layer. */
export const targetsOfTexts = inTargets("TextInTarget", {
  ...place,
  text: optional(z.string().max(10_000)).describe("The same words with other line breaks; other words are ignored."),
  fontSize: optional(z.number().min(1).max(4000)),
  ...{ maxWidth, maxHeight, letterSpacing, padding, radius },
});
export const targetsOfOthers = inTargets("LayerInTarget", { ...place, ...size });
export const targetsOfHtml = inTargets("HtmlInTarget", {
  ...{ ...place, ...size },
  ...{ html: optional(htmlFields.html), css: htmlFields.css },
});

type InTarget = {
  readonly hidden?: boolean | undefined;
  readonly text?: string | undefined;
  readonly [field: string]: unknown;
};

type Targeted = {
  readonly targets?: Partial<Readonly<Record<AspectRatio, InTarget>>> | undefined;
  readonly text?: string | undefined;
  readonly spans?: readonly { readonly text: string }[] | undefined;
  readonly layers?: readonly unknown[] | undefined;
};

/** The targets for which a layer, or one in it, has fields of its own. */
export const targetsIn = ({ targets = {}, layers = [] }: Targeted): readonly AspectRatio[] => [
  // safe because the schema allows no other names
  ...(Object.keys(targets) as AspectRatio[]),
  ...layers.flatMap((layer) => targetsIn(layer as Targeted)),
];

/** A text, an image or a layer as a target shows it; undefined if it does not. */
export function inTarget<Item extends Targeted>(item: Item, target: AspectRatio): Item | undefined {
  const { [target]: own = {} } = item.targets ?? {};
  const { hidden, text, ...fields } = own;
  if (hidden) return undefined;
  const layers = item.layers?.flatMap((layer) => inTarget(layer as Targeted, target) ?? []);
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
  const [span, ...others] = item.spans ?? [];
  if (!span) return { text };
  return others.length > 0 ? {} : { spans: [{ ...span, text }], ...(item.text !== undefined && { text }) };
}
