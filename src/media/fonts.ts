/** Whether glyphs really come from this font file. */
export async function usableFont(path: string): Promise<boolean> {
  return (await Bun.file(path).bytes()).length > 0;
}
