import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { BatchReport } from "../api.ts";
import { t } from "../words.ts";

type Finding = BatchReport["errors"][number];

const atOnce = 25;

type Group = Pick<Finding, "column" | "message" | "key"> & {
  readonly rows: readonly number[];
  readonly languages: readonly string[];
  readonly targets: readonly string[];
};

/** Groups equal sentences about many rows; those about few rows come first. */
function groupsOf(findings: readonly Finding[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const { row, key, column, language, targets = [], message } of findings) {
    const name = JSON.stringify([column, message]);
    const { rows = [], languages = [], targets: known = [] } = groups.get(name) ?? {};
    groups.set(name, {
      ...{ key, column, message, rows: [...new Set([...rows, row])] },
      languages: [...new Set([...languages, ...(language ? [language] : [])])],
      targets: [...new Set([...known, ...targets])],
    });
  }
  return [...groups.values()].sort((one, other) => one.rows.length - other.rows.length);
}

const rangesShown = 4;

/** Writes rows as ranges, such as 1–30, 44. */
function rangesText(rows: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const row of rows) {
    const range = ranges.at(-1);
    if (range && row === range.last + 1) range.last = row;
    else ranges.push({ first: row, last: row });
  }
  const texts = ranges.slice(0, rangesShown).map(({ first, last }) => (first === last ? first : `${first}–${last}`));
  return texts.join(", ") + (ranges.length > rangesShown ? " …" : "");
}

type FindingsProps = {
  readonly title: string;
  readonly findings: readonly Finding[];
  /** The table's own names of columns that the service calls otherwise. */
  readonly columns: Readonly<Record<string, string>>;
};

/** Errors or warnings of rows, a page at a time: a table may have thousands. */
export function Findings({ title, findings, columns }: FindingsProps) {
  const from = useSignal(0);
  const groups = useMemo(() => groupsOf(findings), [findings]);
  const shown = groups.slice(from.value, from.value + atOnce);
  const to = from.value + shown.length;
  const move = (by: number) => {
    from.value += by;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="sheet" tabIndex={0} aria-label={title}>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            {(["tableRow", "tableColumn", "tableLanguage", "tableFormat", "tableChange"] as const).map((word) => (
              <th key={word} scope="col">
                {t(word)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ rows, key, column, languages, targets, message }) => (
            <tr key={column + message}>
              <th scope="row">
                {rangesText(rows)}
                {rows.length === 1 && key !== `${rows[0]}` && <bdi class="soft"> {key}</bdi>}
              </th>
              <td dir="auto">{column && (columns[column] ?? column)}</td>
              <td>{languages.join(", ")}</td>
              <td>{targets.join(", ")}</td>
              <td>{message}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {groups.length > atOnce && (
        <Pages
          text={t("tableRange", { from: from.value + 1, to, of: groups.length })}
          back={from.value > 0 && (() => move(-atOnce))}
          on={to < groups.length && (() => move(atOnce))}
        />
      )}
    </section>
  );
}

type PagesProps = {
  readonly text: string;
  /** False on the last page. */
  readonly back: false | (() => void);
  readonly on: false | (() => void);
};

/** Shows the current page of a long list, with buttons to others. */
export function Pages({ text, back, on }: PagesProps) {
  return (
    <p class="pages">
      <button type="button" class="plain" disabled={!back} onClick={back || undefined}>
        {t("tableBack")}
      </button>
      <span class="soft" role="status">
        {text}
      </span>
      <button type="button" class="plain" disabled={!on} onClick={on || undefined}>
        {t("tableNext")}
      </button>
    </p>
  );
}
