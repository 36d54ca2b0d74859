import { DomainError } from "../../../errors.ts";

/** Decoded pixels fill the memory, however small the file. */
export const maxImagePixels = 50_000_000;

export type Size = { readonly width: number; readonly height: number };

const refuse = (reason: string): never => {
  throw new DomainError("unsupported_media_type", { reason });
};

/** Throws unsupported_media_type if a count is above its bound; `what` is a plural noun. */
export function requireAtMost(count: number, max: number, what: string): void {
  if (count > max)
    refuse(`The image has more than ${max} ${what}: save it again with another program and upload that.`);
}

/** Throws unsupported_media_type if a decoder would allocate too many pixels for this size. */
export function requirePixelLimit({ width, height }: Size): void {
  if (width * height <= maxImagePixels) return;
  const size = `${width} × ${height}`;
  refuse(`The image has ${size} pixels: make it smaller than ${maxImagePixels / 1e6} megapixels.`);
}

/** Throws unsupported_media_type if decoding visits many times as many pixels as the limit of an image. */
export function requireWorkLimit(pixels: number, passes: number): void {
  if (pixels <= maxImagePixels * passes) return;
  refuse("The image is decoded in too many layers for its size: save it again with another program and upload that.");
}

export const requireReadable = (isReadable: boolean): void => {
  if (!isReadable) refuse("The image is damaged or incomplete: save it again and upload that.");
};
