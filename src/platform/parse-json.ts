/** Returns undefined for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Parses JSON of programs that print it piece by piece: with line breaks and quotes in strings, escapes of other
 * languages, trailing commas, comments, `NaN` and `Infinity` (as null), inside comments or CDATA of HTML. Several
 * values become an array; anything else is undefined. Takes linear time.
 */
export function lenientJson(text: string): unknown {
  const strict = parseJson(text);
  if (strict !== undefined) return strict;
  return parseJson(repaired(text.includes('"') ? text : text.replaceAll("&quot;", '"')));
}

const token =
  /\s+|\/\*|\/\/\s*(?:<!\[CDATA\[|\]\]>)|\/\/[^\r\n]*|<!--|-->|<!\[CDATA\[|\]\]>|"|[{}[\],:;]|[^\s"{}[\],:;/<-]+|./gsuy;
const ignored = /^(?:\s|\/\/|<!|-->|\]\]>|;|\ufeff)/u;
const noNumber = /^(?:NaN|Infinity|undefined)$/;

function repaired(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  let values = 0;
  const push = (part: string) => {
    if (depth === 0) values++;
    if (depth === 0 && values > 1) parts.push(",");
    parts.push(part);
  };
  const pattern = new RegExp(token);
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const [part] = found;
    if (part === '"') {
      const [string, end] = stringAt(text, pattern.lastIndex);
      push(string);
      pattern.lastIndex = end;
    } else if (part === "/*") {
      const end = text.indexOf("*/", pattern.lastIndex);
      if (end < 0) break;
      pattern.lastIndex = end + 2;
    } else if (part === "{" || part === "[") {
      push(part);
      depth++;
    } else if (part === "}" || part === "]") {
      depth--;
      if (parts.at(-1) === ",") parts.pop();
      parts.push(part);
    } else if (part === "," || part === ":") {
      // between values of a graph printed one after the other
      if (depth > 0) parts.push(part);
    } else if (noNumber.test(part)) {
      if (parts.at(-1) === "-") parts.pop();
      push("null");
    } else if (part === "-") {
      parts.push(part);
    } else if (!ignored.test(part)) {
      push(part);
    }
  }
  return values > 1 ? `[${parts.join("")}]` : parts.join("");
}

const ending = /"(?=\s*(?:[,:}\]]|$))/y;

/** Reads the string that begins there; returns it as JSON with its end. A quote before a word belongs to it. */
function stringAt(text: string, begin: number): readonly [string: string, end: number] {
  const special = /["\\]|\p{Cc}/gu;
  special.lastIndex = begin;
  let string = '"';
  let from = begin;
  for (let found = special.exec(text); found; found = special.exec(text)) {
    const [sign] = found;
    string += text.slice(from, found.index);
    from = special.lastIndex;
    if (sign === '"') {
      ending.lastIndex = found.index;
      if (ending.test(text)) return [`${string}"`, from];
      string += '\\"';
    } else if (sign === "\\") {
      const escaped = /["\\/bfnrt]|u[\da-fA-F]{4}/y;
      escaped.lastIndex = from;
      const [known] = escaped.exec(text) ?? [];
      string += known ? `\\${known}` : "";
      from += known?.length ?? 0;
      special.lastIndex = from;
    } else {
      string += JSON.stringify(sign).slice(1, -1);
    }
  }
  return [`${string}${text.slice(from)}"`, text.length];
}
