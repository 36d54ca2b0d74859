const headBytes = 13;
const descriptorBytes = 10;
const extension = 0x21;
const image = 0x2c;

/** The length of a color table, by the flags before it. */
export const tableBytes = (flags = 0): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** True for a GIF of several pictures. */
export function hasSeveralPictures(file: Uint8Array): boolean {
  let pictures = 0;
  let at = headBytes + tableBytes(file[10]);
  const skipBlocks = () => {
    while (file[at]) at += 1 + file[at]!;
    at++;
  };
  while (at < file.length) {
    if (file[at] === extension) at += 2;
    else if (file[at] !== image) return false;
    else if (++pictures > 1) return true;
    // the descriptor, and the size of the codes
    else at += descriptorBytes + tableBytes(file[at + 9]) + 1;
    skipBlocks();
  }
  return false;
}
