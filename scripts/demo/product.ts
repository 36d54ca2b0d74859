/** What the video is about. Everything else is generated. */
export type Product = { readonly name: string; readonly description: string; readonly palette: readonly string[] };

export const sunrise: Product = {
  name: "Sunrise Coffee",
  description:
    "Roasted this morning. In your cup tomorrow. Whole beans from three small farms. The first bag ships free. From $12. Order today at sunrisecoffee.example.",
  palette: ["#ff6b35", "#fff8f0", "#1b1b3a"],
};

/** The product that the command line describes. The default description applies to the default product only. */
export function productOf(options: { product: string; description?: string | undefined; palette: string }): Product {
  const described = options.product === sunrise.name ? sunrise.description : "";
  // a color may contain commas itself: rgb(1, 2, 3)
  const palette = options.palette.split(/,(?![^(]*\))/).map((color) => color.trim());
  return { name: options.product, description: options.description ?? described, palette };
}
