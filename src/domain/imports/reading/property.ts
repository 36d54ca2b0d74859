import { z } from "zod";

/** What became of a property of an edit: the field that it is, why that differs, or why it is not shown. */
export type Verdict =
  | { readonly kind: "used"; readonly as: string }
  | { readonly kind: "changed" | "ignored"; readonly why: string };

export const used = (as: string): Verdict => ({ kind: "used", as });
export const changed = (why: string): Verdict => ({ kind: "changed", why });
export const ignored = (why: string): Verdict => ({ kind: "ignored", why });

/** Each property of an edit once; a path covers what lies below it. */
export type ImportReport = {
  readonly used: readonly { readonly path: string; readonly as: string }[];
  readonly changed: readonly { readonly path: string; readonly why: string }[];
  readonly ignored: readonly { readonly path: string; readonly why: string }[];
};

/** The values of the placeholders of an edit, by their keys. */
export type MergeValues = ReadonlyMap<string, string>;

const noValues: MergeValues = new Map();

/** A single quantifier without one for white space around the key: matching stays linear for any text. */
const placeholder = /\{\{([^{}]+)\}\}/g;

export const placeholderKeys = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(placeholder)].flatMap(([, inner]) => inner!.trim() || [])),
];

const numberText = /^\s*[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})(e[+-]?\d{1,2})?\s*$/i;

const Numeric = z.union([z.number(), z.string().max(60).regex(numberText).transform(Number)]);

/** A value of an edit with its path. Readers mark what they have understood; what stays unmarked is ignored. */
export class Property {
  readonly #children = new Map<string, Property>();
  readonly #values: MergeValues;
  readonly #filled = new Set<string>();
  #verdict: Verdict | undefined;

  constructor(
    readonly raw: unknown,
    readonly path = "",
    values: MergeValues = noValues,
  ) {
    this.#values = values;
  }

  /** The property below it; one without a value if there is none. */
  at(key: string | number): Property {
    const name = String(key);
    const known = this.#children.get(name);
    if (known) return known;
    const path = this.path === "" ? name : `${this.path}.${name}`;
    const made = new Property(childOf(this.raw, name), path, this.#values);
    this.#children.set(name, made);
    return made;
  }

  get keys(): readonly string[] {
    return isContainer(this.raw) ? Object.keys(this.raw) : [];
  }

  /** The properties of a list; none of anything else. */
  get items(): readonly Property[] {
    return Array.isArray(this.raw) ? this.raw.map((_, index) => this.at(index)) : [];
  }

  get isAbsent(): boolean {
    return this.raw === undefined || this.raw === null;
  }

  get isObject(): boolean {
    return isContainer(this.raw) && !Array.isArray(this.raw);
  }

  /** The text with the values of its placeholders. */
  get text(): string | undefined {
    if (typeof this.raw === "number") return String(this.raw);
    if (typeof this.raw !== "string" || !this.raw.includes("{{")) {
      return typeof this.raw === "string" ? this.raw : undefined;
    }
    return this.raw.replace(placeholder, (match, inner: string) => {
      const value = this.#values.get(inner.trim());
      this.#filled.add(inner.trim());
      return value ?? match;
    });
  }

  /** The text in which placeholders stay, without spaces around their keys. */
  get template(): string | undefined {
    if (typeof this.raw === "number") return String(this.raw);
    if (typeof this.raw !== "string") return undefined;
    return this.raw.replace(placeholder, (match, inner: string) => (inner.trim() ? `{{${inner.trim()}}}` : match));
  }

  get number(): number | undefined {
    const read = Numeric.safeParse(typeof this.raw === "string" ? this.text : this.raw);
    return read.success && Number.isFinite(read.data) ? read.data : undefined;
  }

  get flag(): boolean | undefined {
    const value = typeof this.raw === "string" ? this.text : this.raw;
    if (value === true || value === "true") return true;
    return value === false || value === "false" ? false : undefined;
  }

  /** A later verdict replaces an earlier one. */
  mark(verdict: Verdict): void {
    this.#verdict = verdict;
  }

  /** The verdicts of this property and of all below it, as far as `input` has them: by default, all. */
  report(input: unknown = this.raw): ImportReport {
    const found: { readonly path: string; readonly verdict: Verdict }[] = [];
    this.#collect(found, input);
    const of = <Kind extends Verdict["kind"]>(kind: Kind) =>
      found.flatMap(({ path, verdict }) => (verdict.kind === kind ? [{ path, verdict }] : []));
    const whys = (kind: "changed" | "ignored") =>
      of(kind).map(({ path, verdict }) => ({ path, why: "why" in verdict ? verdict.why : "" }));
    return {
      used: of("used").map(({ path, verdict }) => ({ path, as: "as" in verdict ? verdict.as : "" })),
      changed: whys("changed"),
      ignored: whys("ignored"),
    };
  }

  #collect(found: { readonly path: string; readonly verdict: Verdict }[], input: unknown): void {
    if (input === undefined) return;
    if (this.#verdict) {
      found.push({ path: this.path, verdict: this.#withFilled(this.#verdict) });
      return;
    }
    const keys = isContainer(input) ? Object.keys(input) : [];
    if (keys.length === 0) found.push({ path: this.path, verdict: unknownLeaf(input) });
    else if (!this.#hasVerdicts()) found.push({ path: this.path, verdict: ignored("Is not known here.") });
    else for (const key of keys) this.at(key).#collect(found, childOf(input, key));
  }

  #hasVerdicts(): boolean {
    return this.#verdict !== undefined || [...this.#children.values()].some((child) => child.#hasVerdicts());
  }

  #withFilled(verdict: Verdict): Verdict {
    const keys = [...this.#filled];
    if (keys.length === 0 || verdict.kind !== "used") return verdict;
    const missing = keys.filter((key) => !this.#values.has(key));
    return changed(
      missing.length > 0
        ? `Has no value for ${missing.join(", ")}: only texts and media can be placeholders.`
        : `Has the value of ${keys.join(", ")} for good: only texts and media stay placeholders.`,
    );
  }
}

const unknownLeaf = (raw: unknown): Verdict =>
  raw === null ? used("its default") : ignored(isContainer(raw) ? "Is empty." : "Is not known here.");

type Container = { readonly [key: string]: unknown };

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

const childOf = (value: unknown, key: string): unknown =>
  isContainer(value) && Object.hasOwn(value, key) ? value[key] : undefined;
