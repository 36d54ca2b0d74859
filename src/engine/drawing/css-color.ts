import type { Color } from "../../platform/colors.ts";

/** A color as CSS text, its alpha multiplied by `opacity`. */
export const cssColor = ({ red, green, blue, alpha }: Color, opacity = 1): string =>
  `rgba(${red}, ${green}, ${blue}, ${alpha * opacity})`;
