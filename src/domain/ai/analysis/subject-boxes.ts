import { z } from "zod";
import type { SubjectBox } from "../../../engine/timeline/focus.ts";
import type { MediaFacts } from "../../../engine/timeline/source.ts";
import { toThousandths } from "../../../platform/values.ts";
import type { AssetDescription } from "../output-schemas.ts";

/** Keeps the boxes smaller than a document that counts towards a user's storage. */
const maxBoxes = 100;

const share = z.number().min(0).max(1);

const Box = z
  .strictObject({ atSeconds: z.number().min(0), left: share, top: share, right: share, bottom: share })
  .refine(({ left, top, right, bottom }) => left < right && top < bottom) satisfies z.ZodType<SubjectBox>;

/** The stored boxes: in the order of time, one at a time. */
export const SubjectBoxes = z
  .array(Box)
  .max(maxBoxes)
  .refine((boxes) => boxes.every(({ atSeconds }, at) => at === 0 || atSeconds > boxes[at - 1]!.atSeconds));

/** Keeps the boxes of a model that lie in the frame and in the duration of its asset, in order. */
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
