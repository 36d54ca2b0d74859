import { type Card, cardLimits, readCard, resolveLengths, type TextMeasurer } from "../../../../engine/ports.ts";
import type { Source } from "../../../../engine/timeline/source.ts";
import type { TaskOptions } from "../../../../platform/limits/concurrency-limit.ts";
import { cardOf, pagesOf } from "../layers/html.ts";
import type { LayerRequest } from "../layers/schema.ts";
import { cardPaths } from "../placement/html.ts";
import type { Warning } from "../warnings.ts";
import { shownPlaceholders } from "./text-warnings.ts";

type NamedCard = {
  readonly path: string;
  /** The path of its layer, by which its files are found. */
  readonly layer: string;
  readonly html: string;
  readonly card: Card;
};

type Found = {
  readonly layers: readonly LayerRequest[];
  readonly files: ReadonlyMap<string, Source>;
  readonly textMeasurer: Pick<TextMeasurer, "unknownCss">;
};

/** What HTML layers are drawn without, by line, and animations that never end. */
export async function htmlWarnings(
  { layers, files, textMeasurer }: Found,
  options: TaskOptions,
): Promise<readonly Warning[]> {
  const warnings: Warning[] = [];
  for (const { path, layer, html, card } of cardsIn(layers, "layers")) {
    const shown = shownPlaceholders(html);
    if (shown) warnings.push({ path: `${path}.html`, code: "placeholder_missing", message: shown });
    const ignored = [...card.ignored, ...(await unknownIn({ layer, card }, { files, textMeasurer }, options))];
    const inOrder = ignored.toSorted((one, other) => one.line - other.line).slice(0, cardLimits.warnings);
    for (const { field, line, what } of inOrder) {
      const message = `Line ${line} has no effect: ${what}`;
      warnings.push({ path: `${path}.${field}`, code: "css_ignored", message });
    }
    if (card.moments.some(({ to }) => to === undefined)) warnings.push({ path, ...endless });
  }
  return warnings;
}

const endless = {
  code: "animation_endless",
  message: "A CSS animation has no end: each frame is drawn for itself, which takes longer. Give it a number of runs.",
} as const;

function cardsIn(layers: readonly LayerRequest[], list: string): readonly NamedCard[] {
  return layers.flatMap((layer, index) => {
    const path = `${list}.${index}`;
    if (layer.type === "group") return cardsIn(layer.layers, `${path}.layers`);
    if (layer.type !== "html") return [];
    return pagesOf(layer).map(({ at, page }) => {
      const text = cardOf(page);
      return { path: [path, ...at].join("."), layer: path, html: text.html, card: readCard(text) };
    });
  });
}

/** Declarations that the renderer does not know, or whose font families are nowhere. */
async function unknownIn(
  { layer, card }: Pick<NamedCard, "layer" | "card">,
  { files, textMeasurer }: Omit<Found, "layers">,
  options: TaskOptions,
): Promise<Card["ignored"]> {
  const own = [...files.keys()].filter((key) => key.startsWith(cardPaths.font(layer, "")));
  const families = new Set(own.map((key) => key.slice(cardPaths.font(layer, "").length)));
  const isOfProject = (value: string) =>
    value.split(",").some((name) =>
      families.has(
        name
          .trim()
          .replace(/^["']|["']$/g, "")
          .toLowerCase(),
      ),
    );
  const asked = card.declarations.filter(
    ({ property, value }) => !property.startsWith("--") && !(property === "font-family" && isOfProject(value)),
  );
  // of any size: what matters is whether its lengths can be resolved
  const size = { width: 1000, height: 1000 };
  const drawn = asked.map((each) => ({ ...each, written: each.value, value: resolveLengths(each.value, size) }));
  const unknown = new Set(await textMeasurer.unknownCss(drawn, options).catch(() => []));
  return drawn
    .filter((declaration) => unknown.has(declaration))
    .map(({ field, line, property, written }) => ({ field, line, what: `${property}: ${written.slice(0, 100)}` }));
}
