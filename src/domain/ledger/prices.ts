import { z } from "zod";
import { sum } from "../../platform/values.ts";
import { type CostPart, currency, type Micros, millionthsOf, parsePrice, roundedCost } from "./money.ts";

export const priceCategories = ["vision", "llm", "image", "video", "speech", "music", "transcription"] as const;

export const priceUnits = [
  "input_token_million",
  "output_token_million",
  "image",
  "second",
  "character_million",
  "minute",
] as const;
type PriceUnit = (typeof priceUnits)[number];

type Pixels = { readonly width: number; readonly height: number };

/** The size that a video is priced by: its shorter side. */
export const videoSize = ({ width, height }: Pixels): string => {
  const shorter = Math.min(width, height);
  return shorter <= 480 ? "480p" : shorter <= 720 ? "720p" : "1080p";
};

/** The size for the price of a picture: its megapixels of 1024 × 1024, rounded up like the providers' own. */
export const imageSize = (pixels: Pixels): string => `${megapixels(pixels)}mp`;

const megapixels = ({ width, height }: Pixels): number => Math.ceil((width * height) / 2 ** 20);

/** Sizes of input pictures: the price of each, and of each of their megapixels. */
const inputSizes = ["input", "input-mp"] as const;
type InputSize = (typeof inputSizes)[number];

/** The units of input pictures: each has its own megapixels, rounded up. */
export const inputUnits = (pictures: readonly Pixels[]): Pick<Units, "inputImages" | "inputMegapixels"> => ({
  inputImages: pictures.length,
  inputMegapixels: sum(pictures.map(megapixels)),
});

/** The usage of a provider's call, or its upper bound. */
export type Units = {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  /** Duration of the generated video, voice or music, or of the transcribed sound. */
  readonly seconds?: number | undefined;
  readonly images?: number | undefined;
  readonly characters?: number | undefined;
  /** The number of input pictures, and their megapixels. */
  readonly inputImages?: number | undefined;
  readonly inputMegapixels?: number | undefined;
};

const dayPattern = /^\d{4}-\d{2}-\d{2}$/;
const Day = z.string().regex(dayPattern, "must be a day such as 2026-11-23");

/** A published price. The table has one row for each unit that a model is paid by. */
const PriceRow = z.strictObject({
  provider: z.string().min(1).max(100),
  model: z.string().min(1).max(200),
  category: z.enum(priceCategories),
  unit: z.enum(priceUnits),
  /**
   * The size of an image or a video that the price depends on: `720p`, `2mp`. For the unit `image` also `input`, for
   * each input picture, and `input-mp`, for each of its megapixels.
   */
  size: z.string().min(1).max(40).optional(),
  /** For higher prices of long requests: the row applies to a whole request with more input tokens than this. */
  aboveInputTokens: z.int().min(0).optional(),
  price: z
    .union([z.string(), z.number()])
    .refine((price) => parsePrice(price) !== undefined, "must be a decimal such as 0.05")
    .transform(String),
  currency: z.literal(currency, `must be ${currency}`).default(currency),
  asOf: Day.default("1970-01-01"),
  /** The page that publishes it. */
  source: z.string().max(2000).default("PRICES_FILE"),
  /** The day on which an announced price comes into force. */
  from: Day.optional(),
});
export type PriceRow = z.output<typeof PriceRow>;

export const PriceRows = z.array(PriceRow).max(100_000);

type ModelName = { readonly provider: string; readonly model: string };

const nameOf = ({ provider, model }: ModelName) => `${provider}\n${model}`;

/** A row of `own` replaces all rows of its provider and model. */
export function replacePrices(rows: readonly PriceRow[], own: readonly PriceRow[]): readonly PriceRow[] {
  const replaced = new Set(own.map(nameOf));
  return [...rows.filter((row) => !replaced.has(nameOf(row))), ...own];
}

export type PriceTable = {
  /** Lists the prices in force. */
  list(): readonly PriceRow[];
  isPriced(model: ModelName): boolean;
  /** Rounded up to a millionth. Undefined for a model without a price. */
  costOf(model: ModelName, units: Units, size?: string): Micros | undefined;
};

/** `now` decides which prices are in force. */
export function priceTable(rows: readonly PriceRow[], now: () => number = Date.now): PriceTable {
  const byModel = Map.groupBy(rows, nameOf);

  const inForce = (candidates: readonly PriceRow[]): readonly PriceRow[] => {
    const today = new Date(now()).toISOString().slice(0, 10);
    const begun = candidates.filter(({ from = "" }) => from <= today);
    const latest = new Map<string, PriceRow>();
    for (const row of begun) {
      const key = `${row.unit} ${row.size ?? ""} ${row.aboveInputTokens ?? ""}`;
      if ((latest.get(key)?.from ?? "") <= (row.from ?? "")) latest.set(key, row);
    }
    return [...latest.values()];
  };

  return {
    list: () => [...byModel.values()].flatMap(inForce),
    isPriced: (model) => inForce(byModel.get(nameOf(model)) ?? []).length > 0,
    costOf(model, units, size) {
      const found = inForce(byModel.get(nameOf(model)) ?? []);
      return found.length > 0 ? roundedCost(partsOf(ofLength(found, units), units, size)) : undefined;
    },
  };
}

/** The rows for a request of this length. */
function ofLength(rows: readonly PriceRow[], { inputTokens = 0 }: Units): readonly PriceRow[] {
  const above = ({ aboveInputTokens = -1 }: PriceRow) => aboveInputTokens;
  const begun = rows.filter((row) => above(row) < inputTokens);
  return begun.filter((row) => begun.every((other) => other.unit !== row.unit || above(other) <= above(row)));
}

function partsOf(rows: readonly PriceRow[], units: Units, size: string | undefined): readonly CostPart[] {
  const parts = [...Map.groupBy(rows, (row) => inputSizeOf(row) ?? row.unit)].map(([measure, candidates]) => {
    const [counts, per] = measures[measure];
    // without a price for the size, the highest one applies
    const prices = (
      candidates.some((row) => row.size === size) ? candidates.filter((row) => row.size === size) : candidates
    )
      // safe because the schema has parsed the price
      .map(({ price }) => parsePrice(price)!);
    const price = prices.toSorted((a, b) => (a < b ? 1 : -1))[0] ?? 0n;
    return { price, millionths: millionthsOf(units[counts] ?? 0), per };
  });
  return parts.filter(({ millionths }) => millionths > 0n);
}

const inputSizeOf = ({ unit, size }: PriceRow): InputSize | undefined =>
  unit === "image" ? inputSizes.find((inputSize) => inputSize === size) : undefined;

/** The unit that a price counts, and the quantity that it is for. */
const measures: { readonly [Measure in PriceUnit | InputSize]: readonly [counts: keyof Units, per: bigint] } = {
  input_token_million: ["inputTokens", 1_000_000n],
  output_token_million: ["outputTokens", 1_000_000n],
  character_million: ["characters", 1_000_000n],
  image: ["images", 1n],
  input: ["inputImages", 1n],
  "input-mp": ["inputMegapixels", 1n],
  second: ["seconds", 1n],
  minute: ["seconds", 60n],
};
