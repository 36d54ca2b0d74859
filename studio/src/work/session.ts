import { type ReadonlySignal, signal } from "@preact/signals";
import { ApiError } from "../../../client/src/errors.ts";
import type { Work } from "../api.ts";
import { type Draft, draftOf } from "./draft.ts";

/** A stored work, and the ETag of this state. */
export type Stored = { readonly work: Work; readonly etag: string };

type Saving =
  | { readonly kind: "saved" | "changed" | "saving" | "offline" | "conflict" }
  /** The service refuses the draft. */
  | { readonly kind: "refused"; readonly message: string };

/** Changes that the browser keeps until they are stored. */
export type Kept = { readonly etag: string; readonly draft: Draft };

export type SessionPorts = {
  load(): Promise<Stored>;
  /** Stores the changes since `base` if the work still has this ETag. */
  save(draft: Draft, base: Draft, etag: string): Promise<Stored>;
  /** Keeps changes for this tab across reloads; undefined removes them. */
  keep(kept: Kept | undefined): void;
  later(act: () => void, milliseconds: number): () => void;
};

/** Typing is saved only after a pause. */
const saveAfterMs = 800;
const againAfterMs = 4_000;

export type Session = {
  readonly history: ReadonlySignal<History>;
  readonly saving: ReadonlySignal<Saving>;
  /** The work as last loaded or saved. */
  readonly work: ReadonlySignal<Work>;
  /** Incremented when files of the work are replaced. */
  readonly version: ReadonlySignal<number>;
  change(edit: (draft: Draft) => Draft, tag?: string): void;
  undo(): void;
  redo(): void;
  /** Saves unsaved changes now. False if that is not possible. */
  flush(): Promise<boolean>;
  /** Runs a request that changes files of the work, and loads the work again. */
  changeFiles<Result>(send: () => Promise<Result>): Promise<Result>;
  /** After a conflict: shows the other version. Undo returns to the own changes. */
  takeTheirs(): Promise<void>;
  /** After a conflict: saves the own changes over the other version. */
  keepMine(): Promise<void>;
  close(): void;
};

/** The service returns keys in its own order. */
const sortedText = (draft: Draft): string =>
  JSON.stringify(draft, (_, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value,
  );
const isSame = (one: Draft, other: Draft): boolean => sortedText(one) === sortedText(other);
const isAway = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof ApiError && (error.status >= 500 || error.status === 429));

/** Edits a work, and saves it after each change; `seed` adds what was never saved. */
export function openSession(
  ports: SessionPorts,
  stored: Stored,
  { kept, seed = (draft) => draft }: { readonly kept?: Kept | undefined; readonly seed?: (draft: Draft) => Draft } = {},
): Session {
  /** The ETag of the version that the draft changes: in a conflict, the old version until a person decides. */
  let { etag } = stored;
  let base = draftOf(stored.work);
  let cancel = () => {};
  let running: Promise<void> | undefined;
  let isClosed = false;
  const work = signal(stored.work);
  const version = signal(0);
  const history = signal(begin(seed(base)));
  /** The draft that needs no saving. */
  let settled: Draft | undefined = history.value.present;
  const saving = signal<Saving>({ kind: "saved" });

  const read = ({ work: next, etag: tag }: Stored) => {
    work.value = next;
    base = draftOf(next);
    etag = tag;
  };

  function noteChange(): void {
    const draft = history.value.present;
    if (draft === settled) {
      ports.keep(undefined);
      if (saving.value.kind !== "conflict") saving.value = { kind: "saved" };
      return;
    }
    ports.keep({ etag, draft });
    if (saving.value.kind === "conflict" || isClosed) return;
    if (saving.value.kind !== "offline") saving.value = { kind: "changed" };
    schedule(saveAfterMs);
  }

  function schedule(milliseconds: number): void {
    cancel();
    cancel = ports.later(() => void flush(), milliseconds);
  }

  async function flush(): Promise<boolean> {
    cancel();
    while (running) await running;
    if (history.value.present !== settled && saving.value.kind !== "conflict") {
      running = send();
      await running;
      running = undefined;
    }
    return history.value.present === settled;
  }

  async function send(): Promise<void> {
    const draft = history.value.present;
    // while the service is known to be unreachable, retries are not shown as saving
    if (saving.value.kind !== "offline") saving.value = { kind: "saving" };
    try {
      read(await ports.save(draft, base, etag));
      settled = draft;
      saving.value = { kind: "saved" };
      noteChange();
    } catch (error) {
      if (error instanceof ApiError && error.code === "precondition_failed") saving.value = { kind: "conflict" };
      else if (isAway(error)) {
        saving.value = { kind: "offline" };
        if (!isClosed) schedule(againAfterMs);
      } else saving.value = { kind: "refused", message: String(error instanceof Error ? error.message : error) };
    }
  }

  const edit = (next: History) => {
    if (next === history.value) return;
    history.value = next;
    noteChange();
  };

  if (kept && !isSame(kept.draft, base)) {
    history.value = commit(history.value, kept.draft);
    if (kept.etag !== etag) saving.value = { kind: "conflict" };
    etag = kept.etag;
  }
  if (kept) noteChange();

  return {
    ...{ history, saving, work, version, flush },
    change(change, tag) {
      const next = change(history.value.present);
      if (next !== history.value.present) edit(commit(history.value, next, tag));
    },
    undo: () => edit(undo(history.value)),
    redo: () => edit(redo(history.value)),
    async changeFiles(act) {
      await flush();
      const result = await act();
      const next = await ports.load();
      // another page may have saved meanwhile
      const isOther = saving.value.kind === "conflict" || !isSame(draftOf(next.work), base);
      if (isOther) saving.value = { kind: "conflict" };
      else read(next);
      version.value += 1;
      return result;
    },
    async takeTheirs() {
      read(await ports.load());
      history.value = commit(history.value, base);
      settled = history.value.present;
      saving.value = { kind: "saved" };
      noteChange();
    },
    async keepMine() {
      read(await ports.load());
      // also without changes: the other version is replaced
      settled = undefined;
      saving.value = { kind: "changed" };
      noteChange();
      await flush();
    },
    close() {
      isClosed = true;
      void flush();
    },
  };
}

/** The drafts for undo and redo. Consecutive changes with the same tag are one step. */
type History = {
  readonly past: readonly Draft[];
  readonly present: Draft;
  readonly future: readonly Draft[];
  readonly tag?: string | undefined;
};

const maxSteps = 200;

export const begin = (present: Draft): History => ({ past: [], present, future: [] });

export function commit({ past, present, tag: last }: History, next: Draft, tag?: string): History {
  const isSameStep = tag !== undefined && tag === last;
  return { past: isSameStep ? past : [...past.slice(1 - maxSteps), present], present: next, future: [], tag };
}

export function undo(history: History): History {
  const { past, present, future } = history;
  const before = past.at(-1);
  return before ? { past: past.slice(0, -1), present: before, future: [present, ...future] } : history;
}

export function redo(history: History): History {
  const { past, present, future } = history;
  const [after, ...rest] = future;
  return after ? { past: [...past, present], present: after, future: rest } : history;
}
