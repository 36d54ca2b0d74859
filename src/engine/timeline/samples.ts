import { sum } from "../../platform/values.ts";
import type { Span } from "./captions/words.ts";

/** Mono sound at `sampleRate`. */
export type Samples = Int16Array;

/** The rate that all speech models output. */
export const sampleRate = 24_000;

export const secondsOf = (samples: Samples): number => samples.length / sampleRate;

/** The highest peak in dBFS; -Infinity for digital silence. */
export function peakDecibels(samples: Samples): number {
  let peak = 0;
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
  return 20 * Math.log10(peak / 32_768);
}

const windowSeconds = 0.005;
/** Shorter gaps belong to a word, such as the closure before a plosive. */
const minPauseSeconds = 0.045;
/** The silence threshold, as a share of the highest peak. */
const silenceShare = 0.02;

/** The audible spans, with a pause between each and the next. */
export function soundSpans(samples: Samples): readonly Span[] {
  const windowSize = Math.round(windowSeconds * sampleRate);
  const threshold = 32_768 * 10 ** (peakDecibels(samples) / 20) * silenceShare;
  const spans: { start: number; end: number }[] = [];
  for (let start = 0; start < samples.length; start += windowSize) {
    const window = samples.subarray(start, start + windowSize);
    if (!window.some((sample) => Math.abs(sample) > threshold)) continue;
    const end = (start + window.length) / sampleRate;
    const last = spans.at(-1);
    if (last && start / sampleRate - last.end < minPauseSeconds) last.end = end;
    else spans.push({ start: start / sampleRate, end });
  }
  return spans;
}

/** Joins samples with a pause between parts, as between sentences. */
export function joinSamples(parts: readonly Samples[], pauseSeconds: number): Samples {
  const pause = Math.round(pauseSeconds * sampleRate);
  const length = sum(parts.map((part) => part.length)) + pause * Math.max(0, parts.length - 1);
  const joined = new Int16Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length + pause;
  }
  return joined;
}

const headerBytes = 44;

export function wavOf(samples: Samples): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(headerBytes + samples.byteLength);
  const view = new DataView(file.buffer);
  const text = (at: number, letters: string) => file.set(new TextEncoder().encode(letters), at);
  text(0, "RIFF");
  view.setUint32(4, file.length - 8, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, samples.byteLength, true);
  file.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), headerBytes);
  return file;
}

export const samplesOfWav = (file: Uint8Array): Samples => toSamples(file.subarray(headerBytes));

/** Reads bytes in the order of a WAV file. */
export const toSamples = (bytes: Uint8Array): Samples => new Int16Array(bytes.slice(0, bytes.length & ~1).buffer);
