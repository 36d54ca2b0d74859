/** Marks a `uuid` box as C2PA's. */
export const c2paBoxId = Buffer.from("d8fec3d61b0e483c92975828877ec481", "hex");
