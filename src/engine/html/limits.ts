/** The bounds of an HTML card. */
export const cardLimits = {
  /** Bytes of `html` and of `css`, each without the data of pictures in it. */
  bytes: 64 * 1024,
  /** Bytes of one picture in a `data:` address. */
  pictureBytes: 2 ** 20,
  elements: 1000,
  depth: 64,
  /** Brackets within brackets in CSS. */
  brackets: 32,
  selectors: 2000,
  declarations: 5000,
  /** Each selector is compared with each element. */
  comparisons: 1_000_000,
  /** Shadows, pictures or filters of one declaration. */
  parts: 64,
  /** Warnings of one card. */
  warnings: 50,
};

export type CardField = "html" | "css";

/** A part of a card that is not drawn as written. Lines count from 1. */
export type Ignored = { readonly field: CardField; readonly line: number; readonly what: string };

/** A card that is not drawn at all. */
export class CardRefused extends Error {
  override readonly name = "CardRefused";

  constructor(
    readonly field: CardField,
    message: string,
  ) {
    super(message);
  }
}
