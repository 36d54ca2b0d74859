import { z } from "zod";
import { CardRefused, readCard } from "../../../../engine/ports.ts";
import { withoutUndefined } from "../../../../platform/values.ts";
import { type AspectRatio, optional } from "../../../shared/schemas.ts";
import { fillHtml } from "./html-values.ts";

/** Pictures in the text of a card are larger than the text. */
const maxCharacters = 4 * 2 ** 20;

const code = z.string().max(maxCharacters);

/** What an HTML layer has besides the fields of all layers. */
export const htmlFields = {
  html: code.describe(
    "At most 64 KB. Nothing in it runs or loads: pictures are `asset:<id>` or `data:` (PNG, JPEG, WebP).",
  ),
  css: optional(code).describe("At most 64 KB. `@keyframes` run on the clock of the layer."),
  values: optional(z.record(z.string().max(100), z.string().max(10_000))).describe(
    "Fill `{{key}}` in `html`; nothing in them is markup.",
  ),
  fitText: optional(z.boolean()).describe(
    "True: the words of elements with `data-fit` become smaller until they fit into their boxes.",
  ),
};

type HtmlFields = {
  readonly html: string;
  readonly css?: string | undefined;
  readonly values?: Readonly<Record<string, string>> | undefined;
};

/** The text of a card with its values in it. */
export const cardOf = ({ html, css = "", values = {} }: HtmlFields) => ({ html: fillHtml(html, values), css });

const placeholder = /\{\{[^{}]+\}\}/;

type InTargets = {
  readonly [Target in AspectRatio]?:
    | { readonly html?: string | undefined; readonly css?: string | undefined }
    | undefined;
};

type TargetedHtml = HtmlFields & { readonly targets?: InTargets | undefined };

/** The layer, and as it is in targets with a page of their own. `at` is the path of the page in the layer. */
export const pagesOf = ({
  targets = {},
  ...layer
}: TargetedHtml): readonly {
  readonly at: readonly string[];
  readonly page: HtmlFields;
}[] => [
  { at: [], page: layer },
  ...Object.entries(targets).flatMap(([target, { html, css } = {}]) =>
    html === undefined && css === undefined
      ? []
      : [{ at: ["targets", target], page: { ...layer, ...withoutUndefined({ html, css }) } }],
  ),
];

/** Reports cards that are too large to draw, and placeholders where a value could be anything. */
export function requireReadableHtml(layer: TargetedHtml, context: z.core.$RefinementCtx): void {
  for (const { at, page } of pagesOf(layer)) requireReadable(page, at, context);
}

function requireReadable(layer: HtmlFields, path: readonly string[], context: z.core.$RefinementCtx): void {
  const add = (field: string, message: string) => context.addIssue({ code: "custom", path: [...path, field], message });
  if (placeholder.test(layer.css ?? "")) {
    add("css", "Must have no placeholders: put them into `html`.");
    return;
  }
  try {
    readCard(cardOf(layer));
  } catch (error) {
    if (!(error instanceof CardRefused)) throw error;
    add(error.field, error.message);
  }
}
