import type { MediaFacts } from "../../timeline/source.ts";
import type { Command } from "../command.ts";
import { filter, input } from "../graph/graph.ts";
import { printGraph } from "../graph/print.ts";
import { openFile, openMedia, withoutFrames } from "../sources.ts";

const mono = (sampleRate: number) => ["-ac", "1", "-ar", `${sampleRate}`];
const samplesToPipe = (sampleRate: number) => [...mono(sampleRate), "-f", "s16le", "-c:a", "pcm_s16le", "pipe:3"];

type VoiceDecoding = { readonly demuxer: string; readonly speed: number; readonly sampleRate: number };

/** Writes the mono samples of a sound to `pipe:3`, faster or slower by `speed`, 0.5 to 2, at the same pitch. */
export function compileVoice(path: string, { demuxer, speed, sampleRate }: VoiceDecoding): Command {
  const { text, map } = printGraph(filter("audio", "atempo", [input("audio", 0)], { tempo: speed }));
  const [graph, stream] = speed === 1 ? ["", "0:a:0"] : [text, map];
  const outputArgs = ["-map", stream, ...samplesToPipe(sampleRate)];
  return { inputArgs: openFile(path, demuxer), graph, outputArgs, writes: [] };
}

/** Writes the sound of a file in mono as FLAC, and its samples to `pipe:3`. */
export function compileModelSound(path: string, facts: MediaFacts, sampleRate: number, output: string): Command {
  return {
    inputArgs: openMedia(path, facts, withoutFrames(facts)),
    graph: "",
    outputArgs: [
      ...["-map", "0:a:0", ...mono(sampleRate), "-c:a", "flac", "-f", "flac", output],
      ...["-map", "0:a:0", ...samplesToPipe(sampleRate)],
    ],
    writes: [output],
  };
}
