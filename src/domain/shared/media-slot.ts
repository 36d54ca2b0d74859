/** The files that a work can hold, each named by the last segments of its URL. */
export type MediaSlot = "reference" | "audio" | `scene/${number}/image` | `scene/${number}/video`;
