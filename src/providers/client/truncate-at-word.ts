/** Cuts a text at a word boundary to at most `maxLength` UTF-16 units. */
export function truncateAtWord(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength + 1);
  const end = cut.search(/\s\S*$/);
  // one endless word is cut inside, but never between the two units of a character
  return end > 0 ? cut.slice(0, end).trimEnd() : cut.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "");
}
