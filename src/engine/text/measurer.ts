import { LRUCache } from "lru-cache";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import { sha256Of } from "../../platform/values.ts";
import {
  type CssDeclaration,
  type FileStore,
  type MeasuredText,
  referenceTo,
  type TextMeasurer,
  type TextToMeasure,
} from "../ports.ts";
import { overlayFailure } from "../sandbox/failures.ts";
import { sharedTaskPool, type TaskPool } from "../sandbox/task-pool.ts";
import type { Box } from "../timeline/overlay.ts";

const maxCachedTexts = 2000;

/** Transfer to a process and back costs ten times as much as measuring. */
const textsAtOnce = 100;

const maxCachedDeclarations = 10_000;
const maxCachedCards = 1000;

type MeasurerOptions = { readonly files: Pick<FileStore, "withLocalFile">; readonly canvas?: TaskPool };

/** Caches its results: an editor sends all texts again after each change. */
export function textMeasurer({ files, canvas = sharedTaskPool() }: MeasurerOptions): TextMeasurer {
  const cache = new LRUCache<string, MeasuredText>({ max: maxCachedTexts });
  const known = new LRUCache<string, boolean>({ max: maxCachedDeclarations });
  const measuredCards = new LRUCache<string, Readonly<Record<string, Box>>>({ max: maxCachedCards });
  const groupOf = ({ content: { style } }: TextToMeasure) => style.font && referenceTo(style.font).key;
  const keyOf = ({ content, rotationDegrees }: TextToMeasure) => JSON.stringify([content, rotationDegrees]);

  /** All texts have the same font. */
  const run = async (texts: readonly TextToMeasure[], options: TaskOptions): Promise<readonly MeasuredText[]> => {
    const font = texts[0]?.content.style.font;
    const measure = (path?: string) => canvas.run("measureTexts", { texts, font: path }, options);
    const measured = await (font ? files.withLocalFile(referenceTo(font), measure) : measure());
    for (const [at, text] of texts.entries()) cache.set(keyOf(text), measured[at]!);
    return measured;
  };

  const textOf = ({ property, value }: CssDeclaration) => `${property}: ${value}`;

  return {
    async unknownCss(declarations, options) {
      const texts = new Map(declarations.map((declaration) => [textOf(declaration), declaration]));
      const asked = [...texts].filter(([text]) => !known.has(text)).map(([, declaration]) => declaration);
      const answers =
        asked.length > 0
          ? await canvas.run(
              "checkCss",
              { declarations: asked.map(({ property, value }) => ({ property, value })) },
              options,
            )
          : [];
      const isKnown = new Map(asked.map((declaration, index) => [textOf(declaration), answers[index] ?? true]));
      for (const [text, answer] of isKnown) known.set(text, answer);
      return declarations.filter((each) => !(isKnown.get(textOf(each)) ?? known.get(textOf(each)) ?? true));
    },

    async boxesIn(card, size, options) {
      const key = sha256Of(JSON.stringify([card.html, card.css, size.width, size.height]));
      const boxes = measuredCards.get(key) ?? (await canvas.run("measureCard", { card, size }, options));
      measuredCards.set(key, boxes);
      return boxes;
    },

    async measure(content, rotationDegrees, options) {
      const text = { content, rotationDegrees };
      const cached = cache.get(keyOf(text));
      if (cached) return cached;
      // safe because there is a result for each text
      return (await run([text], options).catch(overlayFailure(content)))[0]!;
    },

    async prepare(texts, options) {
      const unknown = new Map(
        texts.map(({ content, rotationDegrees }) => {
          const text = { content, rotationDegrees };
          return [keyOf(text), text];
        }),
      );
      for (const key of unknown.keys()) if (cache.has(key)) unknown.delete(key);
      if (unknown.size < 2) return;
      for (const group of Map.groupBy(unknown.values(), groupOf).values()) {
        for (let from = 0; from < group.length; from += textsAtOnce) {
          await run(group.slice(from, from + textsAtOnce), options).catch(() => options.signal?.throwIfAborted());
        }
      }
    },
  };
}
