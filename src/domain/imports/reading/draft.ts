import type { TransitionKind } from "../../../engine/timeline/track.ts";
import type { LayerInput, SoundInput } from "../../exports/request/layers/inputs.ts";
import type { ExportOptions } from "../../exports/request/schema.ts";
import type { MergeValues, Property } from "./property.ts";

export type MediaType = "image" | "video" | "audio" | "font";

/** A file of an edit. `assetId` is empty if it could not be had; a placeholder in a table of films. */
export type Media = {
  readonly assetId: string;
  readonly type?: MediaType;
  /** Pixels. */
  readonly width?: number;
  readonly height?: number;
  readonly seconds?: number;
};

/** A layer of a film that is being read, with the property that it comes from. */
export type Draft = {
  readonly from: Property;
  readonly layer: LayerInput;
  /** The transition from the draft before it on its track, which ends where it has ended. */
  readonly transition?: { readonly kind: TransitionKind; readonly seconds: number } | undefined;
  /** The bars beside the picture show the picture itself, blurred. */
  readonly isOverBlur?: boolean;
};

export type SoundDraft = { readonly from: Property; readonly sound: SoundInput };

/** An edit as it was read. */
export type ReadEdit = {
  readonly name?: string | undefined;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  /** Seconds; undefined if no part of it has an end. */
  readonly duration: number | undefined;
  readonly options: Pick<NonNullable<ExportOptions>, "background" | "format" | "at" | "poster" | "quality">;
  /** Bottom first: those of one track follow each other in time. */
  readonly tracks: readonly (readonly Draft[])[];
  readonly sounds: readonly SoundDraft[];
  /** The values of placeholders, by their keys. */
  readonly values: MergeValues;
};

/** What readers ask for. */
export type ReadContext = {
  /**
   * The file at an address. A placeholder may stand for the whole address; `placeholder` is the key of one for a fixed
   * address. Marks the property. Undefined if there is no address.
   */
  media(property: Property, type: MediaType, placeholder?: string): Media | undefined;
  /** The fonts of the edit, by their families without case, spaces and dashes. */
  readonly fonts: Map<string, string>;
};

/** How edits of one service are read. */
export type EditService = {
  /** The edit with its changes in place, and the values of its placeholders. Throws validation_error. */
  prepare(body: { readonly [name: string]: unknown }): { readonly edit: unknown; readonly values: MergeValues };
  /** Marks all properties that it understands. Reading twice gives the same: media are unknown the first time. */
  read(edit: Property, context: ReadContext, values: MergeValues): ReadEdit;
};
