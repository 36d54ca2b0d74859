/** Turns a comma-separated list of words, as the JSON files in content/ hold them, into pattern alternatives. */
export const anyOf = (list: string): string => `(?:${list.replaceAll(", ", "|")})`;

/** Replaces each `{name}` of a template. */
export const fillTemplate = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);

/** The item at `index`, starting over after the last one; `items` must not be empty. */
export const cycle = <T>(items: readonly T[], index: number): T => items[index % items.length]!;
