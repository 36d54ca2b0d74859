/** The claims of an MP4 track's lists, summed over all lists of a kind. */
export type TrackLists = {
  /** Ticks per second of the movie; only for the part with the movie's header. */
  movieTicks: number | undefined;
  /** Ticks per second of the media. */
  ticksPerSecond: number;
  edits: number;
  /** The number of edits that show some of the media. */
  shownEdits: number;
  /** The sum of the edits' durations, in ticks of the movie. */
  editedTicks: number;
  /** The duration of the media, in ticks of the media. */
  mediaTicks: number;
  /** The number of samples in the list of sizes, and in fragments. */
  samples: number;
  /** The last chunk in the list of samples per chunk. */
  chunks: number;
  /** The number of samples in the list of decoding times. */
  timed: number;
  /** The number of samples in the list of differences between decoding and display time. */
  shifts: number;
};

export const emptyTrack = (): TrackLists => ({
  ...{ movieTicks: undefined, ticksPerSecond: 1, edits: 0, shownEdits: 0, editedTicks: 0, mediaTicks: 0 },
  ...{ samples: 0, chunks: 0, timed: 0, shifts: 0 },
});

/** Reads bytes of a box's content, fewer at its end. */
type Read = (offset: number, length: number) => Buffer;

/** Adds the claims of a box about its track. */
export const addToTrack = (track: TrackLists, type: string, read: Read): void => readers.get(type)?.(track, read);

const readers = new Map<string, (track: TrackLists, read: Read) => void>([
  [
    "mvhd",
    (track, read) => {
      track.movieTicks = timescaleOf(read);
    },
  ],
  [
    "mdhd",
    (track, read) => {
      track.ticksPerSecond = timescaleOf(read);
    },
  ],
  ["elst", readEdits],
  ["stsz", addSizes],
  ["stz2", addSizes],
  [
    "stsc",
    (track, read) => {
      for (const [first] of entriesOf(read, 12)) track.chunks = Math.max(track.chunks, first);
    },
  ],
  [
    "trun",
    (track, read) => {
      track.samples += wordAt(read, 4);
    },
  ],
  [
    "stts",
    (track, read) => {
      for (const [count, ticks] of entriesOf(read)) {
        track.timed += count;
        track.mediaTicks += count * ticks;
      }
    },
  ],
  [
    "ctts",
    (track, read) => {
      for (const [count] of entriesOf(read)) track.shifts += count;
    },
  ],
]);

/** Returns 0 beyond the end. */
const wordAt = (read: Read, offset: number): number => {
  const bytes = read(offset, 4);
  return bytes.length === 4 ? bytes.readUInt32BE(0) : 0;
};

const isWide = (read: Read): boolean => read(0, 1)[0] === 1;

const timescaleOf = (read: Read): number => Math.max(1, wordAt(read, isWide(read) ? 20 : 12));

/** The durations of further edits are not read. */
const maxReadEdits = 100;

/** An edit: its duration, its start in the media, and its speed. An empty one starts at -1. */
function readEdits(track: TrackLists, read: Read): void {
  const width = isWide(read) ? 8 : 4;
  const count = wordAt(read, 4);
  track.edits += count;
  for (let edit = 0; edit < Math.min(count, maxReadEdits); edit++) {
    const entry = read(8 + edit * (2 * width + 4), 2 * width);
    if (entry.length < 2 * width) return;
    if (entry.readInt32BE(width) === -1) continue;
    track.shownEdits++;
    track.editedTicks += width === 8 ? Number(entry.readBigUInt64BE(0)) : entry.readUInt32BE(0);
  }
}

function addSizes(track: TrackLists, read: Read): void {
  track.samples += wordAt(read, 8);
}

const entriesAtOnce = 8192;

/** The first two 32-bit numbers of each entry of a list. In lists of runs, a number of samples and their value. */
function* entriesOf(read: Read, entryBytes = 8): Generator<readonly [first: number, second: number]> {
  const total = wordAt(read, 4);
  for (let entry = 0; entry < total; ) {
    const bytes = read(8 + entry * entryBytes, Math.min(entriesAtOnce, total - entry) * entryBytes);
    if (bytes.length < entryBytes) return;
    for (let at = 0; at + entryBytes <= bytes.length; at += entryBytes, entry++) {
      yield [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
    }
  }
}
