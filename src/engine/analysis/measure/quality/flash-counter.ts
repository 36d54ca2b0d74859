import type { Flashes } from "../../../ports.ts";

/** A change counts if a quarter of the screen takes part in it at about the same time. */
const minShare = 0.25;
/** Pixels of a textured picture do not pass a threshold in the same frame. */
const togetherSeconds = 0.1;

/** Times of frames are rounded: a change exactly one second later is in the next second. */
const windowSeconds = 0.999;

const never = Number.NEGATIVE_INFINITY;

/** Counts the opposing changes of a picture, from those of its pixels. */
export class FlashCounter {
  /** The time of each pixel's latest change, in each direction. */
  private readonly changed: { readonly up: Float64Array; readonly down: Float64Array };
  private last: "up" | "down" | undefined;
  private readonly times: number[] = [];

  constructor(private readonly area: number) {
    const empty = () => new Float64Array(area).fill(never);
    this.changed = { up: empty(), down: empty() };
  }

  mark(pixel: number, direction: "up" | "down", at: number): void {
    this.changed[direction][pixel] = at;
  }

  /** Call after each frame. */
  close(at: number): void {
    const since = Math.max(at - togetherSeconds, this.times.at(-1) ?? never);
    const shares = { up: this.share("up", since), down: this.share("down", since) };
    const direction = shares.up >= shares.down ? "up" : "down";
    if (direction === this.last || shares[direction] < minShare) return;
    this.last = direction;
    this.times.push(at);
  }

  /** A flash is two opposing changes. */
  most(): Flashes {
    let most = 0;
    let at: number | undefined;
    for (let first = 0, end = 0; first < this.times.length; first++) {
      while (end < this.times.length && this.times[end]! - this.times[first]! < windowSeconds) end++;
      if (end - first > most) [most, at] = [end - first, this.times[first]];
    }
    return most < 2 ? { perSecond: 0 } : { perSecond: most / 2, at };
  }

  private share(direction: "up" | "down", since: number): number {
    const times = this.changed[direction];
    let count = 0;
    for (let pixel = 0; pixel < this.area; pixel++) if (times[pixel]! > since) count++;
    return count / this.area;
  }
}
