import type { Options, Stream } from "./graph.ts";

export type PrintedGraph = {
  /** One filterchain a line. */
  readonly text: string;
  /** What `-map` calls the result. */
  readonly map: string;
};

type Filter = Extract<Stream, { kind: "filter" }>;

/**
 * A filtergraph's text. A stream with several readers gets a split, and every stream between chains a name.
 * Unused streams are read and thrown away.
 */
export function printGraph(result: Stream, unused: readonly Stream[] = []): PrintedGraph {
  const { text, maps } = printGraphs([result], unused);
  return { text, map: maps[0]! };
}

/** One text for several results, none of which is made from another. */
export function printGraphs(results: readonly Stream[], unused: readonly Stream[] = []) {
  const readers = countReaders(results);
  const chainEnds = [...readers.keys()].filter((stream) => endsChain(stream, readers));
  const pads = new Map<Stream, string[]>();
  let names = 0;
  const name = () => `[s${names++}]`;

  const lines = chainEnds.flatMap((end) => {
    const made = Array.from({ length: readers.get(end)!.length || 1 }, name);
    pads.set(end, [...made]);
    return chainText(end, readers, (stream) => pads.get(stream)?.shift() ?? inputPad(stream)) + made.join("");
  });
  const sinks = unused.map((stream) => `${inputPad(stream)}nullsink`);
  return { text: [...lines, ...sinks].join(";\n"), maps: results.map((result) => pads.get(result)![0]!) };
}

/** Every stream and who reads it, each stream after those that it is made from. */
function countReaders(results: readonly Stream[]): Map<Stream, Filter[]> {
  const readers = new Map<Stream, Filter[]>();
  const visit = (stream: Stream): void => {
    if (readers.has(stream)) return;
    if (stream.kind === "filter") for (const before of stream.inputs) visit(before);
    readers.set(stream, []);
    if (stream.kind === "filter") for (const before of stream.inputs) readers.get(before)!.push(stream);
  };
  for (const result of results) visit(result);
  return readers;
}

/** An input is named by ffmpeg itself, and a stream that one single-input filter reads needs no name. */
function endsChain(stream: Stream, readers: ReadonlyMap<Stream, readonly Filter[]>): boolean {
  const [reader, ...more] = readers.get(stream)!;
  if (!reader || more.length > 0) return true;
  return stream.kind === "filter" && reader.inputs.length > 1;
}

function chainText(end: Stream, readers: ReadonlyMap<Stream, readonly Filter[]>, pad: (stream: Stream) => string) {
  const filters: string[] = [];
  if (readers.get(end)!.length > 1) {
    filters.unshift(printFilter(end.media === "video" ? "split" : "asplit", { outputs: readers.get(end)!.length }));
  }
  let stream = end;
  while (stream.kind === "filter") {
    filters.unshift(printFilter(stream.name, stream.options));
    const [before, ...others] = stream.inputs;
    if (!before || others.length > 0 || endsChain(before, readers)) {
      return stream.inputs.map(pad).join("") + filters.join(",");
    }
    stream = before;
  }
  return inputPad(stream) + filters.join(",");
}

// capital V leaves cover pictures out
const inputPad = (stream: Stream): string => {
  if (stream.kind === "filter") throw new Error(`The stream of ${stream.name} has no name.`);
  return `[${stream.inputIndex}:${stream.media === "video" ? "V" : "a"}:0]`;
};

function printFilter(name: string, options: Options): string {
  const values = Object.entries(options).map(([key, value]) => `${key}=${printValue(value)}`);
  return values.length > 0 ? `${name}=${values.join(":")}` : name;
}

const printValue = (value: string | number): string =>
  typeof value === "number" ? printNumber(value) : escapeInGraph(escapeInOptions(value));

/** At most six decimals and never an exponent. */
export const printNumber = (value: number): string => {
  if (!Number.isFinite(value) || Math.abs(value) >= 1e15) throw new Error(`${value} is no number for ffmpeg.`);
  return value.toFixed(6).replace(/\.?0+$/, "");
};

// ffmpeg unescapes twice, once for the graph and once for the options, and trims bare white space both times
const escapeInOptions = (text: string): string => text.replace(/[\\':\s]/g, "\\$&");
const escapeInGraph = (text: string): string => text.replace(/[\\'[\],;\s]/g, "\\$&");

/** A list for the concat demuxer. Lengths are said because a file's own are rounded to milliseconds. */
export const printFileList = (parts: readonly { readonly path: string; readonly seconds: number }[]): string =>
  parts
    .map(({ path, seconds }) => `file '${path.replaceAll("'", "'\\''")}'\nduration ${printNumber(seconds)}\n`)
    .join("");
