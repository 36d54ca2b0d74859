import type { Services } from "../../src/services.ts";

const remembered = new Map<string, Promise<unknown>>();

async function once<Result>(path: string, about: readonly unknown[], find: () => Promise<Result>): Promise<Result> {
  const key = JSON.stringify([Bun.hash(await Bun.file(path).bytes()).toString(36), ...about]);
  const known = remembered.get(key);
  // safe because the key names what was looked for
  if (known) return (await known) as Result;
  const found = find();
  remembered.set(key, found);
  found.catch(() => remembered.delete(key));
  return await found;
}

type RememberedMedia = Pick<Services, "inspector" | "videoAnalyzer" | "pages">;

/** What files are is looked up once in a process, for tests that are about something else: the same bytes have the same facts. */
export const rememberedMedia = ({ inspector, videoAnalyzer, pages }: RememberedMedia): RememberedMedia => ({
  inspector: {
    inspect: (path, options) => once(path, ["facts"], () => inspector.inspect(path, options)),
    thumbnail: (path, facts, options) => once(path, ["thumbnail"], () => inspector.thumbnail(path, facts, options)),
  },
  videoAnalyzer: {
    ...videoAnalyzer,
    measure: (path, facts, options) => once(path, ["metrics"], () => videoAnalyzer.measure(path, facts, options)),
    frames: (path, facts, options) =>
      once(path, ["frames", options.atSeconds, options.maxSide], () => videoAnalyzer.frames(path, facts, options)),
  },
  pages: { read: (path, options) => once(path, ["page"], () => pages.read(path, options)) },
});
