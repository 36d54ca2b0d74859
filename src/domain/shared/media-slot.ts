/** The files that a work can hold, each named by the last segments of its URL. */
export type MediaSlot = "reference" | "audio" | "voice" | `scene/${number}/${"image" | "video" | "voice"}`;
