import type { FrameRate } from "../../timeline/time.ts";
import type { FilterOptions, Stream } from "./graph.ts";

type PrintedGraph = {
  /** One filterchain per line. */
  readonly text: string;
  /** The label of the result, for `-map`. */
  readonly map: string;
};

type Filter = Extract<Stream, { kind: "filter" }>;
type Readers = ReadonlyMap<Stream, readonly Filter[]>;

/** Prints a graph with one result. `unused` inputs are read and discarded. */
export function printGraph(result: Stream, unused: readonly Stream[] = []): PrintedGraph {
  const { text, maps } = printGraphs([result], unused);
  return { text, map: maps[0]! };
}

/** No result may be an input of another. Adds splits, and labels for streams between filterchains. */
export function printGraphs(results: readonly Stream[], unused: readonly Stream[] = []) {
  const readers = findReaders(results);
  const chainEnds = [...readers.keys()].filter((stream) => endsChain(stream, readers));
  const unread = new Map<Stream, string[]>();
  let labels = 0;
  const newLabel = () => `[s${labels++}]`;

  const lines = chainEnds.flatMap((end) => {
    const outputs = Array.from({ length: readers.get(end)!.length || 1 }, newLabel);
    unread.set(end, [...outputs]);
    const takeLabel = (stream: Stream) => unread.get(stream)?.shift() ?? inputLabel(stream);
    return printChain(end, readers, takeLabel) + outputs.join("");
  });
  const sinks = unused.map((stream) => `${inputLabel(stream)}nullsink`);
  return { text: [...lines, ...sinks].join(";\n"), maps: results.map((result) => unread.get(result)![0]!) };
}

/** The filters that read each stream. Every stream comes after the streams that it is made from. */
function findReaders(results: readonly Stream[]): Readers {
  const readers = new Map<Stream, Filter[]>();
  const visit = (stream: Stream): void => {
    if (readers.has(stream)) return;
    if (stream.kind === "filter") for (const source of stream.inputs) visit(source);
    readers.set(stream, []);
    if (stream.kind === "filter") for (const source of stream.inputs) readers.get(source)!.push(stream);
  };
  for (const result of results) visit(result);
  return readers;
}

/** True if a stream has no reader, several readers, or one that has several inputs. Inputs have ffmpeg's own labels. */
function endsChain(stream: Stream, readers: Readers): boolean {
  const [reader, ...more] = readers.get(stream)!;
  if (!reader || more.length > 0) return true;
  return stream.kind === "filter" && reader.inputs.length > 1;
}

function printChain(end: Stream, readers: Readers, takeLabel: (stream: Stream) => string): string {
  const outputs = readers.get(end)!.length;
  const filters = outputs > 1 ? [printFilter(end.media === "video" ? "split" : "asplit", { outputs })] : [];
  let stream = end;
  while (stream.kind === "filter") {
    filters.unshift(printFilter(stream.name, stream.options));
    const [source, ...others] = stream.inputs;
    if (!source || others.length > 0 || endsChain(source, readers)) {
      return stream.inputs.map(takeLabel).join("") + filters.join(",");
    }
    stream = source;
  }
  return inputLabel(stream) + filters.join(",");
}

const inputLabel = (stream: Stream): string => {
  if (stream.kind === "filter") throw new Error(`The stream of ${stream.name} has no label.`);
  // capital V excludes cover images
  return `[${stream.inputIndex}:${stream.media === "video" ? "V" : "a"}:${stream.track}]`;
};

function printFilter(name: string, options: FilterOptions): string {
  const values = Object.entries(options).map(([key, value]) => `${key}=${printValue(value)}`);
  return values.length > 0 ? `${name}=${values.join(":")}` : name;
}

const printValue = (value: string | number): string =>
  typeof value === "number" ? printNumber(value) : escapeForGraph(escapeForOptions(value));

/** At most six decimals and never an exponent. */
export const printNumber = (value: number): string => {
  if (!Number.isFinite(value) || Math.abs(value) >= 1e15) throw new Error(`ffmpeg cannot read the number ${value}.`);
  return value.toFixed(6).replace(/\.?0+$/, "");
};

export const printRate = ({ num, den }: FrameRate): string => `${num}/${den}`;

// ffmpeg unescapes twice, for the graph and for the options, and trims unescaped white space both times
const escapeForOptions = (text: string): string => text.replace(/[\\':\s]/g, "\\$&");
const escapeForGraph = (text: string): string => text.replace(/[\\'[\],;\s]/g, "\\$&");
