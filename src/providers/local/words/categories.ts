import content from "./content/categories.json" with { type: "json" };

/** The scenes of a video about such a product: a crew could film them, and they make no claims about the product. */
export type ProductCategory = {
  readonly place: string;
  readonly person: string;
  /** The person's appearance, equal in every image. */
  readonly appearance: string;
  /** The close-up that opens the video. */
  readonly hook: string;
  /** The person's activity before the product appears. */
  readonly problem: string;
  /** The position of the product; follows its name. */
  readonly staging: string;
  /** The person's activities with the product; one for each benefit scene. */
  readonly uses: readonly string[];
  /** Close-ups; one for each detail scene. */
  readonly details: readonly string[];
};

type KeywordCategory = ProductCategory & {
  /** Whole words, also in the plural; a word with `*` also matches the beginning of a longer one. */
  readonly keywords: string;
};

const { categories, fallback }: { categories: readonly KeywordCategory[]; fallback: ProductCategory } = content;

/** The first category with a keyword in the text, else the fallback. */
export const findCategory = (text: string): ProductCategory =>
  categories.find(({ keywords }) => keywords.split(", ").some((keyword) => containsKeyword(text, keyword))) ?? fallback;

const unspacedScript = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

function containsKeyword(text: string, keyword: string): boolean {
  // scripts without spaces have no word boundaries to match
  if (unspacedScript.test(keyword)) return text.includes(keyword);
  const ending = keyword.endsWith("*") ? "" : "(?:e?s)?(?!\\p{L})";
  return new RegExp(`(?<!\\p{L})${keyword.replace("*", "")}${ending}`, "iu").test(text);
}
