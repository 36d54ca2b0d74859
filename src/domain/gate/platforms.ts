import type { Canvas } from "../../engine/timeline/canvas.ts";

export const platforms = ["tiktok", "reels", "shorts", "meta_feed", "youtube", "linkedin"] as const;
export type Platform = (typeof platforms)[number];

export const platformNames: Readonly<Record<Platform, string>> = {
  tiktok: "TikTok",
  reels: "Instagram and Facebook Reels",
  shorts: "YouTube Shorts",
  meta_feed: "the feeds of Facebook and Instagram",
  youtube: "YouTube",
  linkedin: "LinkedIn",
};

/** The ratios of width to height for which people make separate videos. */
const madeFor: Readonly<Record<Platform, readonly [min: number, max: number]>> = {
  tiktok: [0, 0.65],
  reels: [0, 0.65],
  shorts: [0, 0.65],
  meta_feed: [0.65, 1.1],
  youtube: [1.1, Number.POSITIVE_INFINITY],
  linkedin: [0.65, 1.1],
};

/** The platforms for a frame. */
export const platformsFor = ({ width, height }: Canvas): readonly Platform[] =>
  platforms.filter((platform) => {
    const [min, max] = madeFor[platform];
    return width / height >= min && width / height < max;
  });
