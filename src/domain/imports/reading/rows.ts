import { parseColor } from "../../../platform/colors.ts";
import { changed, ignored, type Property, used, type Verdict } from "./property.ts";

/** What a property becomes: sets it in the draft and says so; undefined if it has marked the properties below itself. */
export type Row<Draft, Context> = (property: Property, draft: Draft, context: Context) => Verdict | undefined;

/** The properties of an object and what they become. One that is not in its table is ignored and reported. */
export type Table<Draft, Context> = { readonly [name: string]: Row<Draft, Context> };

/** Reads an object by its table. Null means the default. */
export function readBy<Draft, Context>(
  table: Table<Draft, Context>,
  object: Property,
  draft: Draft,
  context: Context,
): void {
  for (const key of object.keys) {
    const property = object.at(key);
    if (!Object.hasOwn(table, key)) continue;
    const verdict = property.isAbsent ? used("its default") : table[key]!(property, draft, context);
    if (verdict) property.mark(verdict);
  }
}

export type Bounds = { readonly min: number; readonly max: number };

export const within = (value: number, { min, max }: Bounds): number => Math.min(max, Math.max(min, value));

/** Enough for frames and pixels, and short in JSON. */
export const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

/** A number within bounds. */
export const number =
  <Draft, Context>(
    as: string,
    bounds: Bounds,
    set: (draft: Draft, value: number, context: Context) => void,
  ): Row<Draft, Context> =>
  (property, draft, context) => {
    const value = property.number;
    if (value === undefined) return ignored("Must be a number.");
    const kept = within(value, bounds);
    set(draft, kept, context);
    return kept === value ? used(as) : changed(`Is ${kept} here: from ${bounds.min} to ${bounds.max}.`);
  };

/** A CSS color. */
export const color =
  <Draft, Context>(as: string, set: (draft: Draft, value: string, context: Context) => void): Row<Draft, Context> =>
  (property, draft, context) => {
    const value = property.text?.trim();
    if (value === undefined || parseColor(value) === undefined) return ignored("Must be a CSS color.");
    set(draft, value, context);
    return used(as);
  };

export const flag =
  <Draft, Context>(as: string, set: (draft: Draft, value: boolean, context: Context) => void): Row<Draft, Context> =>
  (property, draft, context) => {
    const value = property.flag;
    if (value === undefined) return ignored("Must be true or false.");
    set(draft, value, context);
    return used(as);
  };

/** A name of a list. `verdicts`: those that mean something slightly different here. */
export const choice =
  <Draft, Context, const Name extends string>(
    as: string,
    names: readonly Name[],
    set: (draft: Draft, value: Name, context: Context) => void,
  ): Row<Draft, Context> =>
  (property, draft, context) => {
    const value = names.find((name) => name === property.text);
    if (value === undefined) return ignored(`Must be one of: ${names.join(", ")}.`);
    set(draft, value, context);
    return used(as);
  };

export const words =
  <Draft, Context>(as: string, set: (draft: Draft, value: string, context: Context) => void): Row<Draft, Context> =>
  (property, draft, context) => {
    const value = property.text;
    if (value === undefined) return ignored("Must be a text.");
    set(draft, value, context);
    return used(as);
  };

/** A property without a meaning here. */
export const never =
  <Draft, Context>(why: string): Row<Draft, Context> =>
  () =>
    ignored(why);

/** A property that shows nothing and changes nothing, such as a name for people. */
export const noted =
  <Draft, Context>(as: string): Row<Draft, Context> =>
  () =>
    used(as);

/** Marks an object as a whole if it has only these properties, else each of them. */
export function markKnown(object: Property, keys: readonly string[], as: string): void {
  if (object.keys.every((key) => keys.includes(key))) object.mark(used(as));
  else for (const key of object.keys) if (keys.includes(key)) object.at(key).mark(used(as));
}
