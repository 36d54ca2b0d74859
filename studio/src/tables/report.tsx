import { useEffect, useRef } from "preact/hooks";
import type { BatchReport } from "../api.ts";
import { moneyText, t } from "../words.ts";
import { Findings } from "./findings.tsx";

/** The result of the check, and the estimate. */
export function Report({ report, mapping }: { report: BatchReport; mapping: Readonly<Record<string, string>> }) {
  const { counts, estimate, errors, warnings, truncated } = report;
  const columns = Object.fromEntries(Object.entries(mapping).map(([column, name]) => [name, column]));
  const { films, renderSeconds, low, high, currency } = estimate;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section class="card" data-state={counts.invalid > 0 ? "error" : "done"}>
      <h2 ref={heading} tabIndex={-1} class="state">
        <span class="light" aria-hidden="true" />
        <span>{t(counts.invalid > 0 ? "tableInvalid" : "tableValid", counts)}</span>
      </h2>
      <p class="soft">
        {t("tableToMake", { films, seconds: Math.round(renderSeconds) })}{" "}
        {counts.unchanged > 0 && t("tableUnchanged", { count: counts.unchanged })}{" "}
        {Number(high) > 0
          ? t("price", { low: moneyText(low, currency), high: moneyText(high, currency) })
          : t("priceFree")}
      </p>
      {errors.length > 0 && <Findings title={t("tableErrors")} findings={errors} columns={columns} />}
      {warnings.length > 0 && <Findings title={t("tableWarnings")} findings={warnings} columns={columns} />}
      {truncated && <p class="soft">{t("tableTruncated")}</p>}
    </section>
  );
}
