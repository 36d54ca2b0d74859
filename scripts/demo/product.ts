/** What the video is about. Everything else is generated. */
export type Product = {
  readonly name: string;
  readonly description: string;
  /** Without colors the film has those of its look. */
  readonly palette: readonly string[];
};

export const foldaway: Product = {
  name: "Foldaway",
  description:
    "A folding bike that fits under a desk. It folds in ten seconds. 11 kg light. Now $890 instead of $1,090. Book a test ride at foldaway.example.",
  palette: [],
};

type Options = {
  readonly product: string;
  readonly description?: string | undefined;
  readonly palette?: string | undefined;
};

/** The product that the command line describes. The default description applies to the default product only. */
export function productOf({ product, description, palette = "" }: Options): Product {
  const described = product === foldaway.name ? foldaway.description : "";
  // a color may contain commas itself: rgb(1, 2, 3)
  const colors = palette.split(/,(?![^(]*\))/).map((color) => color.trim());
  return { name: product, description: description ?? described, palette: colors.filter(Boolean) };
}
