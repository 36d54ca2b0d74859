import { boxesIn, boxOf, requireBox, stblPath } from "../mp4/boxes.ts";
import { readMovie, withFile } from "../mp4/movie.ts";

/** The length of a sound sample entry's fields before its boxes, by its version (QuickTime File Format). */
const soundEntryBytes = [28, 44];

const left = 1;
const right = 2;

/**
 * The tracks of the left and the right side of a QuickTime file with one track per side, counted among the sound
 * tracks. Undefined unless the first track is one of a side.
 */
export function readSides(path: string): readonly [left: number, right: number] | undefined {
  try {
    const movie = withFile(path, readMovie);
    const sounds = [...boxesIn(movie)].filter(({ type, content }) => type === "trak" && isSound(content));
    const sides = sounds.map(({ content }) => sideOf(content));
    const found = [sides.indexOf(left), sides.indexOf(right)] as const;
    return found.includes(0) && !found.includes(-1) ? found : undefined;
  } catch {
    // a file of another structure, which has no such tracks
    return undefined;
  }
}

const isSound = (track: Buffer): boolean => requireBox(track, "mdia", "hdlr").toString("latin1", 8, 12) === "soun";

/** The label of a track's only channel, by Core Audio's numbers. */
function sideOf(track: Buffer): number | undefined {
  const [entry, ...others] = boxesIn(requireBox(track, ...stblPath, "stsd").subarray(8));
  if (!entry || others.length > 0) return undefined;
  const { content } = entry;
  const fields = soundEntryBytes[content.readUInt16BE(8)];
  const layout = fields === undefined ? undefined : boxOf(content.subarray(fields), "chan");
  if (!layout || content.readUInt16BE(16) !== 1) return undefined;
  const [tag, bitmap, descriptions] = [4, 8, 12].map((at) => layout.readUInt32BE(at));
  // the first two bits are the labels of the sides
  if (tag === 1 << 16) return bitmap === 1 || bitmap === 2 ? bitmap : undefined;
  return tag === 0 && descriptions === 1 ? layout.readUInt32BE(16) : undefined;
}
