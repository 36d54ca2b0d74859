import { type ReadonlySignal, type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { codeOf, sentenceOf } from "../api.ts";
import { t } from "../words.ts";
import { useAttempt } from "./attempt.ts";
import { Alert } from "./field.tsx";
import { Missing, Title } from "./title.tsx";

type Loaded<Value> = {
  /** Undefined until it is loaded. */
  readonly value: Signal<Value | undefined>;
  /** The error of the last attempt. */
  readonly failure: ReadonlySignal<unknown>;
  /** Runs a request; false if it failed. */
  readonly attempt: (act: () => Promise<unknown>) => Promise<boolean>;
  readonly reload: () => Promise<boolean>;
};

/** The data of a screen, loaded when it opens, and the last error. */
export function useLoaded<Value>(load: () => Promise<Value>): Loaded<Value> {
  const value = useSignal<Value | undefined>(undefined);
  const { failure, attempt } = useAttempt();
  const reload = () =>
    attempt(async () => {
      value.value = await load();
    });
  useEffect(() => {
    void reload();
  }, []);
  return { value, failure, attempt, reload };
}

type ShowProps<Value> = {
  readonly of: Loaded<Value>;
  readonly children: (value: Value) => ComponentChildren;
};

/** Shows loaded data and later errors; without data, why loading failed. */
export function Show<Value>({ of: { value, failure, reload }, children }: ShowProps<Value>) {
  if (value.value === undefined) return <Unread of={failure.value} again={reload} isPart />;
  return (
    <>
      <Failure of={failure.value} />
      {children(value.value)}
    </>
  );
}

type UnreadProps = { readonly of: unknown; readonly again: () => unknown; readonly isPart?: boolean };

/** Replaces a screen or a part that could not be loaded: shows the reason and a way on. */
export function Unread({ of, again, isPart }: UnreadProps) {
  if (of === undefined) {
    return (
      <p class="loading" role="status">
        {t("loading")}
      </p>
    );
  }
  if (codeOf(of) === "not_found") return <Missing />;
  return (
    <section class="narrow">
      {!isPart && <Title>{t("notRead")}</Title>}
      <Failure of={of} />
      <p>
        <button type="button" class="button" onClick={() => void again()}>
          {t("again")}
        </button>
      </p>
    </section>
  );
}

type Pages<Item> = { readonly items: readonly Item[]; readonly next: string | undefined };

/** A list that is loaded page by page. */
export function usePages<Item>(read: (cursor?: string) => Promise<Pages<Item>>) {
  const loaded = useLoaded(() => read());
  const { value, attempt } = loaded;
  const readMore = () =>
    attempt(async () => {
      const { items = [], next } = value.value ?? {};
      const page = await read(next);
      value.value = { ...page, items: [...items, ...page.items] };
    });
  const more = value.value?.next && (
    <button type="button" class="plain more" onClick={() => void readMore()}>
      {t("showMore")}
    </button>
  );
  return { ...loaded, more };
}

export function Failure({ of }: { of: unknown }) {
  return of === undefined ? null : <Alert>{sentenceOf(of)}</Alert>;
}
