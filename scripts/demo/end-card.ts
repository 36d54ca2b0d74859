import type { Area } from "./inks.ts";

export type Size = { readonly width: number; readonly height: number };

/** The sky of the last picture. */
export const endCardArea: Area = { x: 0.2, y: 0.14, width: 0.6, height: 0.16 };

type ButtonOptions = {
  readonly fontAssetId: string;
  readonly size: Size;
  readonly ink: string;
  readonly background: string;
};

/** How the end card's button looks. */
export function buttonLook({ fontAssetId, size, ink, background }: ButtonOptions) {
  // lengths are in pixels of a video 1080 pixels wide
  const unit = size.width / 1080;
  const text = { fontAssetId, fontWeight: 800, fontSize: 52 * unit, fontColor: ink };
  const flat = { shadowColor: "transparent", shadowBlur: 0 };
  return { ...text, ...flat, background, padding: 34 * unit, radius: 70 * unit, animateIn: "pop" };
}
