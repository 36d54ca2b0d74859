import { z } from "zod";
import type { SubjectBox } from "../../../engine/timeline/focus.ts";
import type { MediaFacts } from "../../../engine/timeline/source.ts";
import { toThousandths } from "../../../platform/values.ts";
import type { AssetDescription } from "../output-schemas.ts";

/** Fewer bytes than those of a document that counts in what a user stores. */
const maxBoxes = 100;

const share = z.number().min(0).max(1);

const Box = z
  .strictObject({ atSeconds: z.number().min(0), left: share, top: share, right: share, bottom: share })
  .refine(({ left, top, right, bottom }) => left < right && top < bottom) satisfies z.ZodType<SubjectBox>;

/** As they are stored: in order, one at a time. */
export const SubjectBoxes = z
  .array(Box)
  .max(maxBoxes)
  .refine((boxes) => boxes.every(({ atSeconds }, at) => at === 0 || atSeconds > boxes[at - 1]!.atSeconds));

/** The boxes of a model that lie in the frame and in the time of its asset, in order. Others are left out. */
export function toSubjectBoxes(
  boxes: AssetDescription["subject_boxes"],
  { kind, durationSeconds = Number.POSITIVE_INFINITY }: MediaFacts,
): readonly SubjectBox[] {
  const read = boxes.flatMap(({ at_seconds, box_2d }) => {
    const [top, left, bottom, right] = box_2d.map((side) => Math.min(Math.max(0, Math.round(side) / 1000), 1));
    const atSeconds = kind === "image" ? 0 : toThousandths(at_seconds);
    const { data } = Box.safeParse({ atSeconds, left, top, right, bottom });
    return data && box_2d.length === 4 && atSeconds <= durationSeconds ? [data] : [];
  });
  const inOrder = read.sort((one, other) => one.atSeconds - other.atSeconds);
  return inOrder.filter(({ atSeconds }, at) => atSeconds !== inOrder[at - 1]?.atSeconds).slice(0, maxBoxes);
}
