/** One line of a scrape. */
export type Sample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

/** Parses Prometheus' text format. Throws for a line that is none of it, and for a sample whose metric has no type. */
export function parseMetrics(text: string): readonly Sample[] {
  if (!text.endsWith("\n")) throw new Error("The last line has no end.");
  const types = new Map(
    [...text.matchAll(/^# TYPE (\S+) (counter|gauge|histogram)$/gm)].map(([, name, type]) => [name, type]),
  );
  const lines = text.split("\n").filter((each) => each !== "" && !each.startsWith("# "));
  return lines.map((each) => {
    const [, name, labels = "", value] = line.exec(each) ?? [];
    if (!name || Number.isNaN(Number(value))) throw new Error(`This is no sample: ${each}`);
    if (!types.has(name) && types.get(name.replace(/_(bucket|sum|count)$/, "")) !== "histogram") {
      throw new Error(`This sample has no type: ${each}`);
    }
    return { name, labels: parseLabels(labels), value: Number(value) };
  });
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  label.lastIndex = 0;
  while (label.lastIndex < text.length) {
    const [, name, value] = label.exec(text) ?? [];
    if (name === undefined) throw new Error(`These are no labels: ${text}`);
    labels[name] = value!;
  }
  return labels;
}

/** The sum of the samples with this name and these labels; 0 without any. */
export const sumOf = (
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number =>
  samples
    .filter((sample) => sample.name === `reelwright_${name}` || sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
