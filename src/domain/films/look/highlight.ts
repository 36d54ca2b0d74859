import type { Layout } from "../../looks/looks.ts";
import { highlightIn } from "./clauses.ts";
import { colorOf, type SceneColors } from "./film-look.ts";
import type { SceneDesign } from "./layout-card.ts";
import { differs, isReadable } from "./palette.ts";

type Highlighted = { readonly box: string; readonly part: string };

/** The boxes of a layout whose words can have a highlight. Others have a price, a number or a person's own words. */
const boxes: Readonly<Partial<Record<Layout, readonly string[]>>> = {
  ...{ opening: ["headline", "sub"], claim: ["headline"], split: ["headline", "answer"] },
};

/** The words of a scene that matter most: at most one part of it. */
export function highlightOf({ layout, words }: SceneDesign): Highlighted | undefined {
  const found = (boxes[layout] ?? []).flatMap((box) => {
    const highlight = highlightIn(words[box] ?? "");
    return highlight ? [{ box, ...highlight }] : [];
  });
  const [best] = found.toSorted((one, other) => other.worth - one.worth);
  // what stands alone needs no highlight, and nothing beside it has one
  return best?.isMost ? undefined : best;
}

/** What is behind words of a color. */
const underOf = (name: string, background: string | undefined): string =>
  background ?? { "on-shape": "shape", "on-emphasis": "emphasis", ground: "ink" }[name] ?? "ground";

/** The parts of a text, of which one has the highlight of its look; undefined if the text has no such part. */
export function highlightedSpans(
  { look: { highlight }, colors, isOnPicture }: SceneDesign,
  text: string,
  part: string,
  { "data-color": name = "ink", "data-background": background }: Readonly<Record<string, string>>,
) {
  // lines may break inside
  const pattern = [...part].map((sign) => (/\s/u.test(sign) ? "\\s" : RegExp.escape(sign))).join("\\n?");
  const { 0: found = "", index = 0 } = new RegExp(pattern, "u").exec(text) ?? {};
  if (found === "") return undefined;
  const style = highlightStyle(highlight, colors, { name, under: underOf(name, background), isOnPicture });
  const spans = [{ text: text.slice(0, index) }, { text: found, ...style }, { text: text.slice(index + found.length) }];
  return spans.filter((span) => span.text !== "");
}

type Ground = { readonly name: string; readonly under: string; readonly isOnPicture: boolean };

/** The look's highlight, or an underline if it has no color that is readable there. */
function highlightStyle(
  { color, marker, ...style }: SceneDesign["look"]["highlight"],
  colors: SceneColors,
  { name, under, isOnPicture }: Ground,
) {
  const [ground, ink] = [colorOf(colors, under), colorOf(colors, name)];
  const among = (wanted: string) => [wanted, "emphasis", "shape", "second"].map((each) => colorOf(colors, each));
  // what a picture shows under a color is not known
  if (marker || (color && isOnPicture)) {
    const letters = (behind: string) => [colors.ground, colors.ink].find((each) => isReadable(each, behind));
    const behind = among(marker ?? "emphasis").find((each) => differs(each, ground) && letters(each));
    if (behind) return { ...style, background: behind, color: letters(behind) };
  }
  const found = color && !isOnPicture && among(color).find((each) => each !== ink && isReadable(each, ground));
  if (found) return { ...style, color: found };
  return { ...style, underline: true };
}
