import { newId } from "../request-keys.ts";
import type { Kept } from "./session.ts";

/** Storage and locks of a browser, which has locks only on secure origins. */
export type Browser = {
  readonly localStorage: Storage;
  readonly sessionStorage: Pick<Storage, "getItem" | "setItem">;
  readonly locks: LockManager | undefined;
};

const tabKey = "reelwright.tab";
const lockOf = (tab: string) => `${tabKey}.${tab}`;

/** A reloading page frees its lock within milliseconds. */
const lockWithinMs = 500;
/** Without locks, a tab with older changes counts as closed. */
const agedMs = 60 * 60 * 1000;

/** Holds a lock until the page is closed. False if another tab has it. */
function holdLock({ locks }: Browser, name: string): Promise<boolean> {
  if (!locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    const hold = () => {
      resolve(true);
      return new Promise<never>(() => {});
    };
    locks.request(lockOf(name), { signal: AbortSignal.timeout(lockWithinMs) }, hold).catch(() => resolve(false));
  });
}

/** A name that a tab keeps across reloads, so that two tabs of one work keep separate changes. */
async function nameTab(browser: Browser): Promise<string> {
  const { sessionStorage } = browser;
  const known = sessionStorage.getItem(tabKey);
  // a duplicated tab has the name of its original
  if (known !== null && (await holdLock(browser, known))) return known;
  const name = newId();
  sessionStorage.setItem(tabKey, name);
  await holdLock(browser, name);
  return name;
}

/** Names the tab, once for the page, and returns a function that opens the kept changes of a work. */
export function keptChangesOf(browser: Browser) {
  let tab: Promise<string> | undefined;
  return async (workId: string) => {
    tab ??= nameTab(browser);
    return openKept(browser, workId, await tab);
  };
}

type Entry = Kept & { readonly at: number };

/** Opens the browser's storage for unsaved changes of a work. */
async function openKept({ localStorage, locks }: Browser, workId: string, tab: string) {
  const prefix = `reelwright.work.${workId}.`;
  const own = prefix + tab;
  const { held } = (await locks?.query()) ?? {};
  const read = (key: string): Entry | undefined => {
    try {
      return JSON.parse(localStorage.getItem(key) ?? "null") ?? undefined;
    } catch {
      return undefined;
    }
  };
  const isClosed = (key: string, { at }: Entry) => {
    const lock = lockOf(key.slice(prefix.length));
    return held ? !held.some(({ name }) => name === lock) : Date.now() - at > agedMs;
  };
  /** This tab's changes, or those of a tab that was closed before saving. */
  const [found] = Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .flatMap((key) => {
      const entry = read(key);
      return entry && (key === own || isClosed(key, entry)) ? [{ key, entry }] : [];
    })
    .toSorted((one, other) => Number(other.key === own) - Number(one.key === own) || other.entry.at - one.entry.at);
  return {
    kept: found?.entry,
    keep(kept: Kept | undefined): void {
      if (found) localStorage.removeItem(found.key);
      localStorage.removeItem(own);
      if (!kept) return;
      try {
        localStorage.setItem(own, JSON.stringify({ ...kept, at: Date.now() }));
      } catch {
        // without room in the browser, only the page keeps them
      }
    },
  };
}
