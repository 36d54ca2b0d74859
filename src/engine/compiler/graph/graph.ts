type MediaType = "video" | "audio";

export type FilterOptions = { readonly [name: string]: string | number };

/**
 * A filtergraph is a value: each stream refers to the filter that outputs it, back to the inputs.
 * Streams have no labels here, and several filters may read one stream: print.ts adds labels and splits.
 */
export type Stream<M extends MediaType = MediaType> =
  | { readonly kind: "input"; readonly media: M; readonly inputIndex: number; readonly track: number }
  | {
      readonly kind: "filter";
      readonly media: M;
      readonly name: string;
      readonly options: FilterOptions;
      readonly inputs: readonly Stream[];
    };

export type Video = Stream<"video">;
export type Audio = Stream<"audio">;

/** A track of an input, by default the first of its kind. */
export const input = <M extends MediaType>(media: M, inputIndex: number, track = 0): Stream<M> => ({
  kind: "input",
  media,
  inputIndex,
  track,
});

export const filter = <M extends MediaType>(
  media: M,
  name: string,
  inputs: readonly Stream[],
  options: FilterOptions = {},
): Stream<M> => ({ kind: "filter", media, name, options, inputs });

/** Returns an equal graph with input `i` read from input `indices[i]`. */
export const remapInputs = <M extends MediaType>(result: Stream<M>, indices: readonly number[]): Stream<M> =>
  replaceInputs(result, ({ inputIndex, ...stream }) => ({ ...stream, inputIndex: indices[inputIndex]! }));

type Input = Extract<Stream, { kind: "input" }>;

/** Returns an equal graph with each input replaced by another stream. Shared streams stay shared. */
export function replaceInputs<M extends MediaType>(result: Stream<M>, replace: (input: Input) => Stream): Stream<M> {
  const replaced = new Map<Stream, Stream>();
  const visit = (stream: Stream): Stream => {
    const known = replaced.get(stream);
    if (known) return known;
    const copy = stream.kind === "input" ? replace(stream) : { ...stream, inputs: stream.inputs.map(visit) };
    replaced.set(stream, copy);
    return copy;
  };
  // safe because the replacement has the media type of the input
  return visit(result) as Stream<M>;
}
