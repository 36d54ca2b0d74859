import { requiredComponents } from "../../src/engine/ffmpeg/components.ts";

/**
 * Prints the options of ffmpeg's configure for what the service writes and filters with. What opens files is not limited:
 * every decoder, demuxer, parser and bitstream filter of ffmpeg's own stays.
 */
const { encoders, filters, muxers } = requiredComponents;

/** By the name that ffmpeg lists, where configure has another. */
const configureNames: Readonly<Record<string, string>> = { "libvpx-vp9": "libvpx_vp9", s16le: "pcm_s16le" };

const only = (kind: string, names: readonly string[]) => [
  `--disable-${kind}s`,
  ...names.map((name) => `--enable-${kind}=${configureNames[name] ?? name}`),
];

process.stdout.write([...only("encoder", encoders), ...only("filter", filters), ...only("muxer", muxers)].join(" "));
