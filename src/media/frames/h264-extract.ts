import { type EncodedPacket, EncodedPacketSink, FilePathSource, Input, MP4 } from "mediabunny";

/** A packet of H.264 in MP4, and the place of its picture in the order of showing. */
type Packet = { readonly packet: EncodedPacket; readonly shownAt: number };

/**
 * Writes some pictures of a rendered segment, and of the others only those that they are predicted from, as a bare
 * H.264 stream: less than two thirds of the decoding. `wanted` counts the segment's frames. Answers which pictures of
 * the stream they are.
 */
export async function extractPictures(path: string, wanted: readonly number[], output: string) {
  using input = new Input({ source: new FilePathSource(path), formats: [MP4] });
  const track = await input.getPrimaryVideoTrack();
  const description = (await track?.getDecoderConfig())?.description;
  if (!track || !(description instanceof Uint8Array)) throw new Error("The segment has no H.264 in it.");
  const { parameterSets, lengthBytes } = readConfiguration(description);
  const packets = new EncodedPacketSink(track);

  const stream: Uint8Array[] = [];
  const kept: number[] = [];
  for (const group of groupsOf(await listed(packets))) {
    const last = group.findLastIndex(({ shownAt }) => wanted.includes(shownAt));
    if (last >= 0) stream.push(...parameterSets);
    for (const { packet, shownAt } of group.slice(0, last + 1)) {
      const units = unitsIn(await bytesOf(packets, packet), lengthBytes);
      if (!wanted.includes(shownAt) && !isPredictedFrom(units)) continue;
      kept.push(shownAt);
      stream.push(...units.flatMap((unit) => [startCode, unit]));
    }
  }
  await Bun.write(output, Buffer.concat(stream));
  return wanted.map((frame) => kept.filter((shownAt) => shownAt < frame).length);
}

/** In the order of decoding, without a byte of any picture. */
async function listed(packets: EncodedPacketSink): Promise<readonly Packet[]> {
  const all = await Array.fromAsync(packets.packets(undefined, undefined, { metadataOnly: true }));
  const times = all.map(({ timestamp }) => timestamp).toSorted((one, other) => one - other);
  const places = new Map(times.map((time, place) => [time, place]));
  // safe because every time was numbered
  return all.map((packet) => ({ packet, shownAt: places.get(packet.timestamp)! }));
}

async function bytesOf(packets: EncodedPacketSink, { timestamp }: EncodedPacket): Promise<Uint8Array> {
  const packet = await packets.getPacket(timestamp);
  if (!packet) throw new Error("The segment has lost a picture.");
  return packet.data;
}

const startCode = Uint8Array.of(0, 0, 0, 1);

/** ISO/IEC 14496-15, AVCDecoderConfigurationRecord: sets of parameters, each behind its length in two bytes. */
function readConfiguration(record: Uint8Array) {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  const parameterSets: Uint8Array[] = [];
  let at = 5;
  for (const countMask of [0x1f, 0xff]) {
    for (let left = view.getUint8(at++) & countMask; left > 0; left--) {
      const end = at + 2 + view.getUint16(at);
      parameterSets.push(startCode, record.subarray(at + 2, end));
      at = end;
    }
  }
  return { parameterSets, lengthBytes: (view.getUint8(4) & 3) + 1 };
}

/** Each begins with a keyframe and needs nothing of the others. */
function groupsOf(packets: readonly Packet[]): readonly (readonly Packet[])[] {
  const starts = packets.flatMap(({ packet }, index) => (packet.type === "key" ? [index] : []));
  return starts.map((start, index) => packets.slice(start, starts[index + 1]));
}

function unitsIn(bytes: Uint8Array, lengthBytes: number): readonly Uint8Array[] {
  const units: Uint8Array[] = [];
  for (let at = 0; at + lengthBytes < bytes.length; ) {
    const length = bytes.subarray(at, at + lengthBytes).reduce((sum, byte) => sum * 256 + byte, 0);
    units.push(bytes.subarray(at + lengthBytes, at + lengthBytes + length));
    at += lengthBytes + length;
  }
  return units;
}

/** ITU-T H.264, 7.3.1: two bits of a unit's first byte tell whether others refer to it, five what it is. */
const isPredictedFrom = (units: readonly Uint8Array[]): boolean =>
  units.some(([head = 0]) => isPicture(head & 0x1f) && (head & 0x60) !== 0);

const isPicture = (unitType: number) => unitType >= 1 && unitType <= 5;
