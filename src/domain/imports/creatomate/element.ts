import type { FilterInput, GradientInput, KeyframeInput, LayerInput } from "../../exports/request/layers/inputs.ts";
import type { Media, ReadContext, SoundDraft } from "../reading/draft.ts";
import type { Property } from "../reading/property.ts";
import type { Row, Table } from "../reading/rows.ts";
import type { Animated } from "./animations.ts";
import type { Size } from "./values.ts";

/** Where elements lie: their parent's box and clock, and the frame of the film. */
export type Parent = {
  readonly size: Size;
  readonly frame: Size;
  /** Seconds. */
  readonly length: number;
  /** Seconds of the film at which the parent's clock starts, for sounds. */
  readonly start: number;
  /** Groups around it. */
  readonly depth: number;
};

export type ElementContext = ReadContext & {
  readonly sounds: SoundDraft[];
  /** The placeholder of an element whose text, file or color a table fills. */
  placeholderOf(element: Property, own: string): string | undefined;
  nextId(): string;
};

export type Times = { readonly position: number; readonly end: number };

export type Element = {
  readonly from: Property;
  readonly type: string;
  readonly times: Times;
  readonly length: number;
  readonly box: Size;
  readonly parent: Parent;
  look: Record<string, unknown>;
  keyframes: Record<string, KeyframeInput<never>[] | KeyframeInput<unknown>[]>;
  filter: FilterInput;
  filterType?: string;
  media?: Media | undefined;
  animated?: Animated;
  words: string;
  fontSize?: number;
  isAuto: boolean;
  fill?: string | GradientInput | "none" | undefined;
  stroke: { color?: string; width?: number; cap?: "butt" | "round" | "square"; join?: "miter" | "round" | "bevel" };
  path?: string;
  isMuted: boolean;
  fades: { in: number; out: number };
  layers: LayerInput[];
  isRepeated: boolean;
  maskMode?: string;
  z: number | undefined;
};

export type ElementRow = Row<Element, ElementContext>;
export type ElementTable = Table<Element, ElementContext>;
