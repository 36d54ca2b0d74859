import { createHash } from "node:crypto";
import { type Command, compileSegment, compileSound, type Files, type Segment } from "../compiler/compile.ts";

/** Goes up with every change that makes other pixels or samples of the same commands. */
const engineVersion = 1;

/** What makes the same command give other bytes. */
export type Maker = { readonly owner: string; readonly ffmpegVersion: string };

/** Names every file by its content, so that a command says what it renders and not where. */
const contents: Files = { pathOf: ({ hash }) => hash };

/** The key of a part of the picture: the command that renders it, with contents in place of paths. */
export function segmentKey(segment: Segment, maker: Maker): string {
  const overlays = segment.overlays.map((overlay) => ({ ...overlay, pattern: overlay.hash }));
  const { canvas } = segment.timeline;
  return keyOf(maker, { canvas, command: compileSegment({ ...segment, overlays, files: contents }, "picture") });
}

/** The key of a film's whole sound. */
export function soundKey({ timeline }: Pick<Segment, "timeline">, maker: Maker): string {
  const { groups, mix } = compileSound({ timeline, files: contents }, "sound");
  return keyOf(maker, { commands: [...groups, mix].map(({ command }) => command) });
}

type Said = { readonly command: Command; readonly canvas: object } | { readonly commands: readonly Command[] };

const keyOf = (maker: Maker, said: Said): string =>
  createHash("sha256")
    .update(JSON.stringify([engineVersion, maker, said]))
    .digest("hex");
