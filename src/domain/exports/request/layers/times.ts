import { z } from "zod";
import { maxVideoSeconds } from "../../../shared/schemas.ts";

export const seconds = z.number().min(0).max(maxVideoSeconds);

/** Overlays may end after the video. */
export const overlayEnd = z.number().min(0).max(1_000_000);

const TimeRange = z.object({ position: z.number().nullish(), end: z.number().nullish() });

export const endsAfterStart = ({ position, end }: z.output<typeof TimeRange>) =>
  (end ?? Number.POSITIVE_INFINITY) > (position ?? 0);

export const endBeforeStart = {
  path: ["end"],
  message: "Must be later than position.",
  // zod skips a refinement if any field is invalid; here only `position` and `end` matter
  when: ({ value, issues }: z.core.ParsePayload) =>
    TimeRange.safeParse(value).success && !issues.some(({ path }) => path?.[0] === "position" || path?.[0] === "end"),
};
