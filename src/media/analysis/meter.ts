import { ColorSamples } from "./color-samples.ts";
import { CutFinder } from "./cuts.ts";
import { type PictureSize, smallPicture } from "./pictures.ts";

/** A scene as far as its pictures tell. */
export type Stretch = {
  /** When its first and its last picture are shown. */
  readonly firstSeconds: number;
  readonly lastSeconds: number;
  readonly palette: readonly string[];
  /** Sum of what changes from picture to picture, in levels of 0..255. */
  readonly movement: number;
  /** Mean luma, 0..1. */
  readonly brightness: number;
};

export type Reading = { readonly stretches: readonly Stretch[]; readonly palette: readonly string[] };

/** What is measured of a film's pictures, one after the other. */
export class FilmMeter {
  private readonly finder = new CutFinder();
  private readonly samples = new ColorSamples();
  private readonly times: number[] = [];

  constructor(private readonly size: PictureSize) {}

  push(bytes: Uint8Array, atSeconds: number): void {
    const picture = smallPicture(bytes, this.size);
    this.finder.push(picture);
    this.samples.push(this.times.length, picture);
    this.times.push(atSeconds);
  }

  read(): Reading {
    const pictures = this.times.length;
    if (pictures === 0) return { stretches: [], palette: [] };
    const cuts = this.finder.cuts();
    const starts = [0, ...cuts];
    const stretches = starts.map((start, at) => this.stretch(start, starts[at + 1] ?? pictures));
    return { stretches, palette: this.samples.palette(0, pictures) };
  }

  private stretch(start: number, end: number): Stretch {
    const { changes, lights } = this.finder;
    // the first picture of a scene differs from another scene's
    const movement = changes.slice(start + 1, end).reduce((sum, { difference }) => sum + unsteadiness(difference), 0);
    const level = lights.slice(start, end).reduce((sum, light) => sum + light.level, 0) / (end - start);
    const brightness = Math.min(1, Math.max(0, (level - 16) / 219));
    const [firstSeconds, lastSeconds] = [this.times[start]!, this.times[end - 1]!];
    return { firstSeconds, lastSeconds, palette: this.samples.palette(start, end), movement, brightness };
  }
}

/** What film grain and coding change is no movement. */
const unsteadiness = (difference: number) => Math.max(0, difference - 0.25);
