import type { NamedBed, SoundLibrary } from "../../../engine/ports.ts";
import type { Looks } from "../../looks/looks.ts";
import type { Project } from "../../projects/projects.ts";
import type { Work } from "../../works/works.ts";
import { autoBed, type FilmPlan } from "../film.ts";
import { filmLook, names } from "../look/film-look.ts";
import { sumOfCodes } from "../look/palette.ts";

/** `looks` are those of the project. */
export type BedSources = { readonly looks: Looks; readonly soundLibrary: SoundLibrary };

/** The bed under a film: the order's, or among those of its look the one whose words the brief has. */
export function filmBed(
  { looks, soundLibrary: { beds } }: BedSources,
  { order }: FilmPlan,
  project: Project,
  work: Work,
): NamedBed | undefined {
  if (order.bed === undefined) return undefined;
  const known = beds.get(order.bed === autoBed ? (order.found?.bed ?? "") : order.bed);
  if (known) return known;
  const seed = order.lookSeed ?? work.productName;
  const said = (order.lookSeed ?? [work.productName, work.productDescription].join(" ")).toLowerCase();
  const { look } = filmLook(looks, order, project.styleGuide, work);
  const suiting = look.beds.flatMap((name) => beds.get(name) ?? []);
  const scored = suiting.map((bed) => ({
    bed,
    score: [...bed.fits, ...bed.mood].filter((word) => names(said, word.toLowerCase())).length,
  }));
  const best = Math.max(...scored.map(({ score }) => score));
  const fitting = scored.filter(({ score }) => score === best);
  return fitting[sumOfCodes(seed) % fitting.length]?.bed;
}
