import { cardRenderer, namedFamilies, readCard } from "../../../../engine/ports.ts";
import type { HtmlContent } from "../../../../engine/timeline/overlay.ts";
import type { Source } from "../../../../engine/timeline/source.ts";
import type { Canvas } from "../../../../engine/timeline/timeline.ts";
import { cardOf } from "../layers/html.ts";
import type { HtmlLayerRequest } from "../layers/schema.ts";
import { boxIn } from "./shapes.ts";

type HtmlStage = {
  readonly canvas: Canvas;
  readonly path: string;
  readonly files: ReadonlyMap<string, Source>;
};

/** The path of a picture in a card among the files of a request, and that of a font by its family. */
export const cardPaths = {
  image: (path: string, assetId: string): string => `${path}.html.${assetId}`,
  font: (path: string, family: string): string => `${path}.css.${family}`,
};

/** A card; without a size it is as large as the frame. */
export function htmlContent(layer: HtmlLayerRequest, { canvas, path, files }: HtmlStage): HtmlContent {
  const text = cardOf(layer);
  const card = readCard(text);
  const size = { width: layer.width ?? canvas.width, height: layer.height ?? canvas.height };
  const found = (names: readonly string[], pathOf: (path: string, name: string) => string) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const source = files.get(pathOf(path, name));
        return source ? [[name, source]] : [];
      }),
    );
  return {
    kind: "html",
    ...text,
    box: boxIn(canvas, layer, size),
    fitsText: layer.fitText ?? false,
    images: found(card.assetIds, cardPaths.image),
    fonts: found(namedFamilies(card), cardPaths.font),
    moments: card.moments,
    renderer: cardRenderer,
  };
}
