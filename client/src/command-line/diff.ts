import { readFile } from "node:fs/promises";
import type { Context } from "./context.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** As `GET /api/exports/:id/film.json` returns it. */
export type FilmValue = {
  readonly id: string;
  readonly timeline: string;
  readonly request: { readonly [key: string]: Json };
  readonly inputs: { readonly [path: string]: string };
  readonly engine: { readonly [key: string]: Json };
};

/** Half-open: `end` is the first frame outside. */
type Frames = { readonly start: number; readonly end: number };

/** `frames` covers both films; absent if the difference concerns all frames, or none. */
type Difference = {
  readonly path: string;
  readonly before?: Json | undefined;
  readonly after?: Json | undefined;
  readonly frames?: Frames | undefined;
};

/** Prints the differences between two videos. */
export async function diff({ output }: Context, paths: readonly [string, string]): Promise<void> {
  const [before, after] = [await readFilmValue(paths[0]), await readFilmValue(paths[1])];
  const differences = differencesOf(before, after);
  output.result({ equal: before.id === after.id, differences }, () =>
    before.id === after.id
      ? "The videos are equal: machines with this engine give the same bytes, except for the signature."
      : differences.map(inWords).join("\n") || "The words of a caption or of a script differ.",
  );
}

export async function readFilmValue(path: string): Promise<FilmValue> {
  const film = jsonOf(await readFile(path, "utf8"));
  if (film?.format === "reelwright.film" && film.version === 1) return film;
  throw new Error(`${path} is not a film.json of this version.`);
}

function jsonOf(text: string): (FilmValue & { readonly format?: unknown; readonly version?: unknown }) | undefined {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Ids differ between services, so the files behind them are compared. */
const ids: ReadonlySet<string> = new Set([
  ...["projectId", "workId", "sceneIndex", "assetId", "fontAssetId", "transitionAssetId", "audioUrl"],
]);

export function differencesOf(before: FilmValue, after: FilmValue): readonly Difference[] {
  const [one, other] = [leaves(before), leaves(after)];
  const names = [...new Set([...one.keys(), ...other.keys()])];
  return names
    .filter((path) => one.get(path) !== other.get(path))
    .map((path) => ({
      path,
      ...(one.has(path) && { before: one.get(path) }),
      ...(other.has(path) && { after: other.get(path) }),
      frames: framesOf(path, [before, after]),
    }));
}

/** Every value of the request, the files and the engine, by its path. */
function leaves({ request, inputs, engine }: FilmValue): ReadonlyMap<string, Json> {
  const found = new Map<string, Json>();
  const walk = (value: Json, path: string): void => {
    if (typeof value !== "object" || value === null) return void found.set(path, value);
    for (const [key, child] of Object.entries(value))
      if (!ids.has(key)) walk(child, path === "" ? key : `${path}.${key}`);
  };
  walk(request, "");
  for (const [path, hash] of Object.entries(inputs)) found.set(`${path} (file)`, hash);
  walk(engine, "engine");
  return found;
}

/** The frames of the clip, text or image at a path, in both films together. */
function framesOf(path: string, films: readonly FilmValue[]): Frames | undefined {
  const [, list = "", index = ""] = path.match(/^(clips|texts|images)\.(\d+)/) ?? [];
  const ranges = films.flatMap(({ request }): Frames[] => {
    const item = (request[list] as Json[] | undefined)?.[Number(index)] as
      | { position?: number; end?: number }
      | undefined;
    const fps = (request.options as { fps?: number } | undefined)?.fps ?? 30;
    const frame = (seconds: number) => Math.floor(seconds * fps + 0.5);
    return item?.position === undefined || item.end === undefined
      ? []
      : [{ start: frame(item.position), end: frame(item.end) }];
  });
  if (ranges.length === 0) return undefined;
  return { start: Math.min(...ranges.map(({ start }) => start)), end: Math.max(...ranges.map(({ end }) => end)) };
}

export function inWords({ path, before, after, frames }: Difference): string {
  const change =
    before === undefined
      ? `is added: ${JSON.stringify(after)}`
      : after === undefined
        ? `is removed: was ${JSON.stringify(before)}`
        : `${JSON.stringify(before)} → ${JSON.stringify(after)}`;
  return `${path}: ${change}${frames ? ` (frames ${frames.start} to ${frames.end - 1})` : ""}`;
}
