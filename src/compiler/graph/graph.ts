export type Media = "video" | "audio";

export type Options = { readonly [name: string]: string | number };

/**
 * A filtergraph is a value: each stream points back at the filter that makes it, down to the inputs.
 * Streams have no names here, and one stream may feed many filters. print.ts sees to both.
 */
export type Stream<M extends Media = Media> =
  | { readonly kind: "input"; readonly media: M; readonly inputIndex: number }
  | {
      readonly kind: "filter";
      readonly media: M;
      readonly name: string;
      readonly options: Options;
      readonly inputs: readonly Stream[];
    };

export type Video = Stream<"video">;
export type Audio = Stream<"audio">;

export const input = <M extends Media>(media: M, inputIndex: number): Stream<M> => ({
  kind: "input",
  media,
  inputIndex,
});

export const filter = <M extends Media>(
  media: M,
  name: string,
  inputs: readonly Stream[],
  options: Options = {},
): Stream<M> => ({ kind: "filter", media, name, options, inputs });

/** The same graph reading other inputs: `inputs` tells which one is read in place of each. */
export const readingFrom = <M extends Media>(result: Stream<M>, inputs: readonly number[]): Stream<M> =>
  fedBy(result, ({ inputIndex, ...stream }) => ({ ...stream, inputIndex: inputs[inputIndex]! }));

type Input = Extract<Stream, { kind: "input" }>;

/** The same graph with other streams in the place of its inputs. */
export function fedBy<M extends Media>(result: Stream<M>, streamOf: (input: Input) => Stream): Stream<M> {
  const moved = new Map<Stream, Stream>();
  const move = (stream: Stream): Stream => {
    const known = moved.get(stream);
    if (known) return known;
    const made = stream.kind === "input" ? streamOf(stream) : { ...stream, inputs: stream.inputs.map(move) };
    moved.set(stream, made);
    return made;
  };
  // safe because a stream keeps its media
  return move(result) as Stream<M>;
}
