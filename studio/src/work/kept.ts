import { newId } from "../api.ts";
import type { Kept } from "./session.ts";

const tabKey = "reelwright.tab";
const agedMs = 60_000;

/** A name that a tab keeps over reloads: two tabs of one work keep their own changes. */
function tabName(): string {
  const name = sessionStorage.getItem(tabKey) ?? newId();
  sessionStorage.setItem(tabKey, name);
  return name;
}

type Entry = Kept & { readonly at: number };

/** Where a browser keeps changes of a work until they are stored. */
export function keptChanges(workId: string) {
  const prefix = `reelwright.work.${workId}.`;
  const own = prefix + tabName();
  const read = (key: string): Entry | undefined => {
    try {
      return JSON.parse(localStorage.getItem(key) ?? "null") ?? undefined;
    } catch {
      return undefined;
    }
  };
  /** This tab's, or those of a tab that was closed before they were stored. */
  const find = () =>
    Object.keys(localStorage)
      .filter((key) => key.startsWith(prefix))
      .flatMap((key) => {
        const entry = read(key);
        return entry && (key === own || Date.now() - entry.at > agedMs) ? [{ key, entry }] : [];
      })
      .toSorted(
        (one, other) => Number(other.key === own) - Number(one.key === own) || other.entry.at - one.entry.at,
      )[0];
  const found = find();
  return {
    kept: found?.entry,
    keep(kept: Kept | undefined): void {
      if (found) localStorage.removeItem(found.key);
      localStorage.removeItem(own);
      if (!kept) return;
      try {
        localStorage.setItem(own, JSON.stringify({ ...kept, at: Date.now() }));
      } catch {
        // without room in the browser, they are kept by the page alone
      }
    },
  };
}
