import type { SharedReview } from "../api.ts";
import { dateText, t } from "../words.ts";

/** A reviewer's decision and note. */
export function Decision({ approval }: Pick<SharedReview, "approval">) {
  if (!approval) return <p class="soft">{t("undecided")}</p>;
  const { state, author, note, createdAt } = approval;
  return (
    <div class="decision" data-state={state === "approved" ? "done" : "changes"}>
      <p class="state">
        <span class="light" aria-hidden="true" />
        <span>
          <bdi>{t(state === "approved" ? "approvedBy" : "changesBy", { author })}</bdi>{" "}
          <span class="soft">{dateText(createdAt)}</span>
        </span>
      </p>
      {note && (
        <p class="said" dir="auto">
          {note}
        </p>
      )}
    </div>
  );
}
