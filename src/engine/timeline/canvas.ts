/** A frame size in pixels; both sides are even. */
export type Canvas = { readonly width: number; readonly height: number };
