import { maxVideoSeconds } from "../../../shared/schemas.ts";

/** The bounds of the numbers of moves: what requests accept, and what `GET /api/motion` tells. */
export const moveBounds = {
  seconds: { min: 0.01, max: maxVideoSeconds },
  overlap: { min: 0, max: 1 },
  distance: { min: 0, max: 16_384 },
  amount: { min: -1000, max: 1000 },
  /** Numbers of `count` are large. */
  from: { min: -1e15, max: 1e15 },
  /** A scale. */
  to: { min: -100, max: 100 },
  ramp: { min: 0, max: 0.5 },
  frequency: { min: 0.01, max: 60 },
  /** Both coordinates of the point. */
  anchor: { min: 0, max: 1 },
} as const;
