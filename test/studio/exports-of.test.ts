import { expect, test } from "bun:test";
import type { Film, Work } from "../../studio/src/api.ts";
import { hasNoSound, type Job, videoOf } from "../../studio/src/parts/exports-of.ts";

// safe because only these fields are read
const filmAt = (startedAt: number, status = "done") =>
  ({
    ...{ id: "f", projectId: "p", status, exportId: "own", files: [{ target: "1:1" }] },
    steps: [{ kind: "export", attempts: [{ startedAt: 1 }, { startedAt }] }],
  }) as unknown as Film;
const workAt = (updatedAt: number) => ({ updatedAt }) as Work;
const jobAt = (createdAt: number, status = "done") =>
  ({ id: `export-${createdAt}`, status, createdAt, files: [{ url: `/${createdAt}` }] }) as unknown as Job;
const shown = (...[film, work, jobs]: Parameters<typeof videoOf>) => {
  const { exportId, isOlder } = videoOf(film, work, jobs)!;
  return [exportId, isOlder];
};

test("a film shows its own video until its work is changed, and then says that it is older", () => {
  const others = [jobAt(30), jobAt(5)];
  expect(videoOf(filmAt(10), undefined, others)).toEqual({
    exportId: "own",
    files: [{ target: "1:1", url: "/api/projects/p/films/f/file?target=1%3A1" }],
    isOlder: false,
  });
  expect(shown(filmAt(10), workAt(10), others)).toEqual(["own", false]);
  expect(shown(filmAt(10), workAt(20), [jobAt(30, "running"), jobAt(5)])).toEqual(["own", true]);
  expect(videoOf(filmAt(10, "running"), workAt(20), [jobAt(30)])).toBeUndefined();
});

test("or it shows the newest export of the changed work", () => {
  const jobs = [jobAt(40, "error"), jobAt(30), jobAt(15)];
  expect(videoOf(filmAt(10), workAt(20), jobs)).toEqual({
    exportId: "export-30",
    files: [{ target: "", url: "/30" }],
    isOlder: false,
  });
  expect(shown(filmAt(10), workAt(35), jobs)).toEqual(["export-30", true]);
  // exported again as a film
  expect(shown(filmAt(50), workAt(35), jobs)).toEqual(["own", false]);
});

test("a video without sound is known as one, be it the film's own or a later export", () => {
  const silent = { warnings: [{ code: "silent_result" }] };
  const film = { ...filmAt(10), ...silent } as Film;
  const heard = { ...jobAt(30), warnings: [] } as unknown as Job;
  const noSound = (work: Work, jobs: readonly Job[]) => hasNoSound(film, videoOf(film, work, jobs)!, jobs);
  expect(noSound(workAt(5), [heard])).toBe(true);
  expect(noSound(workAt(20), [heard])).toBe(false);
  expect(noSound(workAt(20), [{ ...heard, ...silent } as unknown as Job])).toBe(true);
});
