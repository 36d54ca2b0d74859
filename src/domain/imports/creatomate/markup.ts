import { parseColor } from "../../../platform/colors.ts";
import type { SpanInput } from "../../exports/request/layers/inputs.ts";
import { within } from "../reading/rows.ts";

const tag = /\[(\/?)(color|weight|size|family|style|background)(?:\s+([^\][]{1,100}))?\]/gi;

type Style = Omit<SpanInput, "text">;

/** A style of text between two tags such as `[weight 700]…[/weight]`. `fontSize` is what a percentage refers to. */
function styleOf(name: string, value: string, fontSize: number | undefined): Style {
  switch (name) {
    case "color":
      return parseColor(value) ? { color: value } : {};
    case "background":
      return parseColor(value) ? { background: value } : {};
    case "weight":
      return Number(value) ? { fontWeight: within(Number(value), { min: 1, max: 1000 }) } : {};
    case "family":
      return { fontFamily: value };
    case "style":
      return value === "italic" ? { italic: true } : {};
    default: {
      const percent = /^([\d.]{1,6})%$/.exec(value)?.[1];
      const size = percent === undefined || fontSize === undefined ? undefined : (Number(percent) / 100) * fontSize;
      return size ? { fontSize: within(Math.round(size), { min: 1, max: 1000 }) } : {};
    }
  }
}

/** The parts of a text with tags; undefined for one without. `hasSizes`: sizes need a fixed font size. */
export function spansOf(
  text: string,
  fontSize: number | undefined,
): { readonly spans: SpanInput[]; readonly hasSizes: boolean } | undefined {
  const stack: { readonly name: string; readonly style: Style }[] = [];
  const spans: SpanInput[] = [];
  let from = 0;
  let hasSizes = false;
  const push = (part: string) => {
    if (part !== "") spans.push({ text: part, ...Object.assign({}, ...stack.map(({ style }) => style)) });
  };
  for (const match of text.matchAll(tag)) {
    const [whole, slash, name = "", value = ""] = match;
    push(text.slice(from, match.index));
    from = match.index + whole.length;
    if (slash) {
      const at = stack.findLastIndex((open) => open.name === name.toLowerCase());
      if (at >= 0) stack.splice(at, 1);
      continue;
    }
    hasSizes ||= name.toLowerCase() === "size";
    stack.push({ name: name.toLowerCase(), style: styleOf(name.toLowerCase(), value.trim(), fontSize) });
  }
  if (from === 0) return undefined;
  push(text.slice(from));
  return { spans: spans.slice(0, 200), hasSizes };
}
