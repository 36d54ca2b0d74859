import { expect, test } from "bun:test";
import { type Browser, keptChangesOf } from "../../studio/src/work/kept.ts";
import type { Kept } from "../../studio/src/work/session.ts";

const draftOf = (name: string) => ({ etag: name, draft: {} }) as Kept;

/** The storage of one browser as its tabs see it. */
function browser({ hasLocks = true } = {}) {
  const items: Record<string, string> = {};
  const methods = {
    getItem: (key: string) => items[key] ?? null,
    setItem(key: string, value: string) {
      items[key] = value;
    },
    removeItem: (key: string) => void delete items[key],
  };
  // its keys are those of the items, as a browser's are
  const localStorage = new Proxy(items, {
    get: (_, key) => methods[key as keyof typeof methods],
  }) as unknown as Browser["localStorage"];
  const held = new Set<string>();

  /** Opens a tab, or a copy of one, with what sessionStorage has. */
  const open = (session = new Map<string, string>()) => {
    const own = new Set<string>();
    const request = (name: string, _: unknown, hold: () => Promise<never>) => {
      if (held.has(name)) return Promise.reject(new Error("AbortError"));
      held.add(name);
      own.add(name);
      return hold();
    };
    const query = async () => ({ held: [...held].map((name) => ({ name })) });
    const sessionStorage = {
      getItem: (key: string) => session.get(key) ?? null,
      setItem: (key: string, value: string) => void session.set(key, value),
    };
    // safe because only these are called
    const locks = hasLocks ? ({ request, query } as unknown as LockManager) : undefined;
    const keptChanges = keptChangesOf({ localStorage, sessionStorage, locks });
    return {
      session,
      work: () => keptChanges("w"),
      close() {
        for (const name of own) held.delete(name);
      },
    };
  };
  return { open, items, age: () => Object.assign(items, aged(items)) };
}

const aged = (items: Record<string, string>) =>
  Object.fromEntries(Object.entries(items).map(([key, text]) => [key, JSON.stringify({ ...JSON.parse(text), at: 0 })]));

test("changes of another open tab stay there, however old, and those of a closed one are taken over once", async () => {
  const { open, age } = browser();
  const one = open();
  (await one.work()).keep(draftOf("one"));
  age();
  const other = open();
  expect((await other.work()).kept).toBeUndefined();
  one.close();
  const { kept, keep } = await other.work();
  expect(kept?.etag).toBe("one");
  keep(kept);
  expect((await open().work()).kept).toBeUndefined();
});

test("a tab finds its own after a reload, and a copy of it has changes of its own", async () => {
  const { open } = browser();
  const one = open();
  (await one.work()).keep(draftOf("one"));
  const copy = open(new Map(one.session));
  const { kept, keep } = await copy.work();
  expect(kept).toBeUndefined();
  keep(draftOf("copy"));
  one.close();
  expect((await open(one.session).work()).kept?.etag).toBe("one");
});

test("without locks, those of a tab are taken over after an hour", async () => {
  const { open, age } = browser({ hasLocks: false });
  const one = open();
  (await one.work()).keep(draftOf("one"));
  expect((await open().work()).kept).toBeUndefined();
  expect((await open(one.session).work()).kept?.etag).toBe("one");
  age();
  expect((await open().work()).kept?.etag).toBe("one");
});
