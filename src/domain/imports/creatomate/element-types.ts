import { changed, ignored, used } from "../reading/property.ts";
import { flag, never, noted } from "../reading/rows.ts";
import type { Element, ElementContext, ElementTable } from "./element.ts";
import {
  border,
  fillRows,
  firstOf,
  fit,
  focusRows,
  ofAll,
  playRows,
  sourceRow,
  strokeRows,
} from "./element-properties.ts";
import { textRows } from "./text-properties.ts";
import { isKeyed } from "./values.ts";

const noStroke = Object.fromEntries(
  Object.keys(strokeRows).map((name) => [name, never<Element, ElementContext>("Pictures have no outline.")]),
);

/** What each property of an element becomes, by its type. */
export const elementTypes: Readonly<Record<string, ElementTable>> = {
  image: {
    ...ofAll,
    ...focusRows,
    source: sourceRow("image"),
    provider: playRows.provider!,
    fit,
    smart_crop: () => changed("The middle stays visible: focus names another point."),
    border_radius: border,
    ...noStroke,
  },
  video: { ...ofAll, ...focusRows, ...playRows, source: sourceRow("video"), fit, border_radius: border, ...noStroke },
  audio: { ...ofAll, ...playRows, source: sourceRow("audio") },
  text: textRows,
  shape: {
    ...ofAll,
    ...fillRows,
    ...strokeRows,
    border_radius: border,
    path: (property, element) => {
      const text = firstOf(property).text;
      if (text === undefined) return ignored("Must be the data of an SVG path.");
      element.path = text.slice(0, 100_000);
      return isKeyed(property) ? changed("Has its last form: paths do not change over time.") : used("shape");
    },
  },
  composition: {
    ...ofAll,
    ...fillRows,
    ...strokeRows,
    border_radius: border,
    elements: () => undefined,
    loop: flag("repeat", (element, isLoop) => {
      if (isLoop) element.look.repeat = true;
    }),
    plays: noted("end"),
    flow_direction: never("Elements have their own places."),
  },
};
