import type { Target } from "../api.ts";
import { dateText, t } from "../words.ts";
import { DownloadNotes } from "./download-notes.tsx";
import { hasEnded, isSilent, type Job } from "./exports-of.ts";

type File = { readonly url: string; readonly target?: Target };

const shownJobs = 8;

type JobsProps = {
  readonly jobs: readonly Job[];
  /** True if the film was changed after the export. */
  readonly isOlder: (job: Job) => boolean;
};

/** The newest exports of a film, with their files. */
export const Jobs = ({ jobs, isOlder }: JobsProps) => (
  <ul class="jobs">
    {jobs.slice(0, shownJobs).map((job) => (
      <li key={job.id}>
        <p>
          <b>{dateText(job.createdAt)}</b> <span class="soft">{job.status === "cancelled" && t("workCancelled")}</span>
        </p>
        {!hasEnded(job) && <progress value={job.progress} aria-label={t("progress")} />}
        {job.error && <p class="wrong">{job.error}</p>}
        <p class="actions" role="status">
          {job.status === "done" &&
            (job.files ?? []).map(({ url, target }: File) => (
              <a
                key={url}
                href={url}
                download={`${job.name}${target ? ` ${target.replace(":", "x")}` : ""}.${job.format}`}
              >
                {target && (job.files?.length ?? 0) > 1 ? t("downloadTarget", { target }) : t("download")}
              </a>
            ))}
          {job.status === "done" && <DownloadNotes isSilent={isSilent(job)} isOlder={isOlder(job)} />}
        </p>
      </li>
    ))}
  </ul>
);
