import { type EncodedPacket, EncodedPacketSink, FilePathSource, Input, MP4 } from "mediabunny";
import { isReference, readConfiguration, splitUnits } from "../h264/units.ts";

/** An H.264 packet in MP4, which holds one frame, and the number of that frame in display order. */
type FramePacket = { readonly packet: EncodedPacket; readonly frame: number };

/** Some frames of a segment, counted from its start. */
type WantedFrames = { readonly path: string; readonly frames: readonly number[] };

/**
 * Writes frames of segments as one raw H.264 stream, together with only the reference frames that they may be predicted
 * from. This saves a third of the time of a frame and half of that of a contact sheet.
 * Returns the numbers of the wanted frames in the stream.
 */
export async function extractFrames(segments: readonly WantedFrames[], output: string): Promise<readonly number[]> {
  const streams: Uint8Array[] = [];
  const numbers: number[] = [];
  let frameCount = 0;
  for (const segment of segments) {
    const { stream, extracted } = await readFrames(segment);
    streams.push(...stream);
    const numberOf = (frame: number) => frameCount + extracted.filter((earlier) => earlier < frame).length;
    numbers.push(...segment.frames.map(numberOf));
    frameCount += extracted.length;
  }
  await Bun.write(output, Buffer.concat(streams));
  return numbers;
}

async function readFrames({ path, frames: wanted }: WantedFrames) {
  using input = new Input({ source: new FilePathSource(path), formats: [MP4] });
  const track = await input.getPrimaryVideoTrack();
  const description = (await track?.getDecoderConfig())?.description;
  if (!track || !(description instanceof Uint8Array)) throw new Error("The segment has no H.264 track.");
  const { parameterSets, lengthBytes } = readConfiguration(description);
  const sink = new EncodedPacketSink(track);

  const stream: Uint8Array[] = [];
  const extracted: number[] = [];
  for (const gop of splitGops(await listPackets(sink))) {
    const last = gop.findLastIndex(({ frame }) => wanted.includes(frame));
    if (last >= 0) stream.push(...parameterSets.flatMap((unit) => [startCode, unit]));
    for (const { packet, frame } of gop.slice(0, last + 1)) {
      const units = splitUnits(await readPacket(sink, packet), lengthBytes);
      if (!wanted.includes(frame) && !isReference(units)) continue;
      extracted.push(frame);
      stream.push(...units.flatMap((unit) => [startCode, unit]));
    }
  }
  return { stream, extracted };
}

/** All packets in decoding order, without their data. */
async function listPackets(sink: EncodedPacketSink): Promise<readonly FramePacket[]> {
  const packets = await Array.fromAsync(sink.packets(undefined, undefined, { metadataOnly: true }));
  const timestamps = packets.map(({ timestamp }) => timestamp).toSorted((one, other) => one - other);
  const frames = new Map(timestamps.map((timestamp, frame) => [timestamp, frame]));
  // safe because the map holds every timestamp
  return packets.map((packet) => ({ packet, frame: frames.get(packet.timestamp)! }));
}

async function readPacket(sink: EncodedPacketSink, { timestamp }: EncodedPacket): Promise<Uint8Array> {
  const packet = await sink.getPacket(timestamp);
  if (!packet) throw new Error("A packet of the segment is missing.");
  return packet.data;
}

const startCode = Uint8Array.of(0, 0, 0, 1);

/** Splits packets into closed GOPs, each of which decodes on its own. */
function splitGops(packets: readonly FramePacket[]): readonly (readonly FramePacket[])[] {
  const starts = packets.flatMap(({ packet }, index) => (packet.type === "key" ? [index] : []));
  return starts.map((start, index) => packets.slice(start, starts[index + 1]));
}
