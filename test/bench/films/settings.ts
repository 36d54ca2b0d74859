import { existsSync } from "node:fs";
import { join } from "node:path";

/** What a run of the film benches can be narrowed to, or pointed at, by environment variables. */
const { BENCH_FILMS, BENCH_RUNS, BENCH_MEDIA, BENCH_FOOTAGE } = process.env;

const filmSeconds = [6, 15, 30] as const;
export type FilmSeconds = (typeof filmSeconds)[number];

/** The films to measure: `BENCH_FILMS=6,15`. */
export const chosenFilms: readonly FilmSeconds[] = BENCH_FILMS
  ? filmSeconds.filter((seconds) => BENCH_FILMS.split(",").includes(`${seconds}`))
  : filmSeconds;

/** Measurements of each figure. */
export const runs = Number(BENCH_RUNS || 5);

const besideProject = join(import.meta.dir, "../../../../shared/media");

/** The folder of real footage: `BENCH_MEDIA`, else the one beside the project; undefined if neither is there. */
export const mediaFolder = [BENCH_MEDIA, besideProject].find((folder) => folder && existsSync(folder));

/** A folder that keeps the derived clips for the next run. */
export const footageFolder = BENCH_FOOTAGE;
