import type { Palette } from "../../brand/brand.ts";
import type { TemplateLayer } from "../layers.ts";
import type { OverlayTiming } from "../templates.ts";
import { pageColors } from "./colors.ts";

export type Filling<Colors = Palette> = {
  readonly palette: Colors;
  readonly assets: { readonly [slot: string]: string };
  /** The direction of the values' language: `rtl` mirrors the layout. */
  readonly direction?: "ltr" | "rtl" | undefined;
  /** True: a slot without an image is an empty box. */
  readonly showsSlots?: boolean;
};

type Page = {
  readonly html: string;
  readonly css: string;
  readonly timing: Pick<OverlayTiming, "startPercent" | "endPercent" | "startSeconds" | "endSeconds">;
  readonly page: { readonly [field: string]: unknown };
};

/** Lengths such as `40u`, in 1080th parts of the frame's shorter side. */
const inShares = (text: string): string =>
  text.replace(
    /(?<![\w#.-])(-?\d*\.?\d+)u\b/g,
    (_, units: string) => `${Math.round((Number(units) / 10.8) * 1000) / 1000}vmin`,
  );

const slot = /<img data-slot="(\w+)"([^>]*)>/g;

/** The page of a design as a layer that is as large as the frame. */
export function pageLayer(
  { html, css, timing, page }: Page,
  { palette, assets, direction = "ltr", showsSlots }: Filling<Required<Palette>>,
): TemplateLayer {
  const { startPercent, endPercent, startSeconds, endSeconds } = timing;
  const colors = Object.entries(pageColors(palette)).map(([name, value]) => `--${name}:${value}`);
  const filled = html.replace(slot, (_, name: string, attributes: string) =>
    Object.hasOwn(assets, name)
      ? `<img src="asset:${assets[name]}"${attributes}>`
      : showsSlots
        ? `<div${attributes}><div class="empty"></div></div>`
        : "",
  );
  return {
    ...{ type: "html", id: "page", fitText: true },
    html: `<div class="page ${direction}" style="${colors.join(";")}">${inShares(filled)}</div>`,
    css: inShares(css),
    ...(startSeconds !== undefined && { position: startSeconds }),
    ...(endSeconds !== undefined && { end: endSeconds }),
    ...(startPercent !== undefined && startPercent > 0 && { startPercent }),
    ...(endPercent !== undefined && endPercent < 100 && { endPercent }),
    exit: { name: "fade", seconds: 0.4 },
    ...page,
  };
}
