import type { Drawable } from "../../ai/scene-design.ts";

/** Words of products, and of things beside them that are another product: no coffee table is a cup. */
const patterns: readonly { readonly drawable: Drawable; readonly words: RegExp; readonly others: RegExp }[] = [
  {
    drawable: "cup",
    words:
      /(?<!\p{L})(coffee|espresso|cappuccino|latte|cocoa|mug|kaffee|café|caffè|قهوة|القهوة|кофе)s?(?!\p{L})|コーヒー|咖啡|커피/iu,
    others:
      /(table|machine|maker|grinder|bike|shop|house|bar|scrub|soap|pod|capsule|filter|maschine|mühle|tisch|automat|roaster)/iu,
  },
  {
    drawable: "bottle",
    words:
      /(?<!\p{L})(serum|shampoo|perfume|parfum|juice|lemonade|limonade|soda|bottle|flasche|olive oil|olivenöl|عطر)s?(?!\p{L})|香水|美容液/iu,
    others: /(opener|rack|holder|bag|cooler|öffner|regal)/iu,
  },
  {
    drawable: "phone",
    words: /(?<!\p{L})(app|smartphone|تطبيق)(?!\p{L})|アプリ/iu,
    others: /(case|holder|stand|charger|hülle|halter)/iu,
  },
];

/** What of the product can be drawn as it is: its name counts, and the sentence that says what it is. */
export function drawableIn(name: string, description: string): Drawable | undefined {
  const [first = ""] = description.split(/(?<=[.!?。！？])\s*|\n/u);
  const text = `${name}. ${first.slice(0, 200)}`;
  return patterns.find(({ words, others }) => words.test(text) && !others.test(text))?.drawable;
}
