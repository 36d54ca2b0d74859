import { printBox } from "../mp4/print-boxes.ts";

// JUMBF (ISO/IEC 19566-5): boxes that hold a description and the described content

/** The end of the types of superboxes. C2PA sets the first four letters. */
export const typeSuffix = Buffer.from("00110010800000aa00389b71", "hex");

/** The toggles say that the box has a label and can be requested by it. */
const toggles = 0b11;

/** A superbox, without its own header: the bytes that a reference hashes. */
export const superboxContent = (type: string, label: string, ...contents: readonly Uint8Array[]): Buffer =>
  Buffer.concat([
    printBox("jumd", Buffer.from(type, "latin1"), typeSuffix, Buffer.of(toggles), Buffer.from(`${label}\0`)),
    ...contents,
  ]);

export const superbox = (type: string, label: string, ...contents: readonly Uint8Array[]): Buffer =>
  printBox("jumb", superboxContent(type, label, ...contents));

/** Marks a `uuid` box as C2PA's. */
export const c2paBoxId = Buffer.from("d8fec3d61b0e483c92975828877ec481", "hex");
