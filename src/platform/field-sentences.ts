/** The path to a value in a request: names, and the indexes of list items as numbers. */
type FieldPath = readonly PropertyKey[];

/** Better names than the fields' own words; some depend on the parent field. Units belong to the message. */
const fieldLabels: ReadonlyMap<string, string> = new Map([
  ["email", "E-mail"],
  ["srt", "SRT file"],
  ["vtt", "WebVTT file"],
  ["fps", "Frame rate"],
  ["t", "Time"],
  ["must_include", "What to include"],
  ["must_avoid", "What to avoid"],
  ["expiresInDays", "Lifetime"],
  ["duration_seconds", "Duration"],
  ["startSeconds", "Start"],
  ["endSeconds", "End"],
  ["audio.volume", "Music volume"],
  ["focus.x", "Focus x"],
  ["focus.y", "Focus y"],
  ["defaultTransition.type", "Transition type"],
  ["webhook.url", "Webhook URL"],
  ["webhook.secret", "Webhook secret"],
]);

/** Messages that lack the name of their field: "Must be …". Others are complete sentences. */
const predicate = /^(Must|Is|Has)\b/;

/**
 * Puts the name of a field before a message: "Must be more than 0." becomes "Clip 1: end must be more than 0." A
 * complete sentence stays unchanged.
 */
export function formatIssue(path: FieldPath, message: string): string {
  if (!predicate.test(message)) return message;
  const label = fieldLabel(path);
  return `${label} ${lowerFirst(isPlural(label) ? message.replace(/^Is\b/, "are") : message)}`;
}

/** A field's name for people: `clips.0.fontSize` is "Clip 1: font size". The empty path is the body. */
export function fieldLabel(path: FieldPath): string {
  if (path.length === 0) return "The body";
  const item = path.findLastIndex((part) => typeof part === "number");
  if (item < 0) return nameOf(path);
  const label = itemLabel(item > 0 ? nameOf(path.slice(0, item)) : "Items", Number(path[item]));
  const rest = path.slice(item + 1);
  return rest.length > 0 ? `${label}: ${lowerFirst(nameOf(rest))}` : label;
}

/** Parses the path of an `Issue`, whose parts are separated by dots. */
export const parseFieldPath = (path: string): FieldPath =>
  path === "" ? [] : path.split(".").map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : part));

/** The name of the last field; parent fields only distinguish equal names. */
function nameOf(path: FieldPath): string {
  const [parent, name] = [path.at(-2), path.at(-1)].map(String) as [string, string]; // safe because map keeps the count
  return fieldLabels.get(`${parent}.${name}`) ?? fieldLabels.get(name) ?? wordsOf(name);
}

const maxQuotedCharacters = 60;

/** `maxWidth` and `max_width` become "Max width". Callers' own keys are quoted; names with hyphens are headers. */
function wordsOf(name: string): string {
  if (/^[a-z]+(-[a-z]+)+$/i.test(name)) return `The header ${name}`;
  if (!/^[a-z]\w{0,40}$/i.test(name)) return `The field ${JSON.stringify(name.slice(0, maxQuotedCharacters))}`;
  const words = name
    .split(/_|(?<=[a-z\d])(?=[A-Z])/)
    .map((word) => acronyms.get(word.toLowerCase()) ?? lowerFirst(word));
  return upperFirst(words.join(" ").trim());
}

const acronyms: ReadonlyMap<string, string> = new Map([
  ["id", "ID"],
  ["ids", "IDs"],
  ["url", "URL"],
]);

const isPlural = (label: string): boolean => /[^su]s$/.test(label);

/** "Clips" becomes "Clip 1"; a list with another name has items: "Video track item 1". */
const itemLabel = (list: string, index: number): string =>
  isPlural(list) ? `${list.replace(/s$/, "")} ${index + 1}` : `${list} item ${index + 1}`;

export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Keeps acronyms unchanged. */
const lowerFirst = (text: string): string =>
  /^\p{Lu}\p{Lu}/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
