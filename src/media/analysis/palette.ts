/** Colors as they are seen: OKLab, by Björn Ottosson. */
type Lab = readonly [lightness: number, greenRed: number, blueYellow: number];

type Cluster = { readonly color: Lab; readonly weight: number };

const maxColors = 5;
/** Colors closer than this are one to the eye when they are not side by side. */
const sameColor = 0.09;
const smallestShare = 0.02;
const rounds = 6;

/** Up to five colors that stand for all of these, as `#rrggbb`, the most common first. `rgb` holds three bytes a pixel. */
export function paletteOf(rgb: readonly Uint8Array[]): readonly string[] {
  const points = binsOf(rgb);
  const total = points.reduce((sum, { weight }) => sum + weight, 0);
  let clusters = seedsOf(points);
  for (let round = 0; round < rounds; round++) clusters = settled(points, clusters);
  const distinct = merged(clusters).filter(({ weight }, index) => index === 0 || weight >= smallestShare * total);
  return distinct.slice(0, maxColors).map(({ color }) => toHex(color));
}

/** Pixels of nearly one color together: five bits a channel. */
function binsOf(rgb: readonly Uint8Array[]): readonly Cluster[] {
  const bins = new Map<number, { red: number; green: number; blue: number; count: number }>();
  for (const bytes of rgb) {
    for (let at = 0; at + 2 < bytes.length; at += 3) {
      const [red, green, blue] = [bytes[at]!, bytes[at + 1]!, bytes[at + 2]!];
      const key = ((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3);
      const bin = bins.get(key) ?? { red: 0, green: 0, blue: 0, count: 0 };
      bins.set(key, bin);
      bin.red += red;
      bin.green += green;
      bin.blue += blue;
      bin.count++;
    }
  }
  return [...bins.values()].map(({ red, green, blue, count }) => ({
    color: toLab(red / count, green / count, blue / count),
    weight: count,
  }));
}

/** The most common color, and then each time what is common and far from those chosen. */
function seedsOf(points: readonly Cluster[]): readonly Cluster[] {
  const seeds: Cluster[] = [];
  while (seeds.length < maxColors + 3) {
    const worth = (point: Cluster) =>
      seeds.length === 0 ? point.weight : point.weight * Math.min(...seeds.map((seed) => distance(seed, point))) ** 2;
    const best = mostOf(points, worth);
    if (!best || worth(best) <= 0) break;
    seeds.push(best);
  }
  return seeds;
}

function mostOf<T>(values: readonly T[], worth: (value: T) => number): T | undefined {
  let [best, most]: [T | undefined, number] = [undefined, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    const found = worth(value);
    if (found > most) [best, most] = [value, found];
  }
  return best;
}

/** Each point goes to its nearest cluster, and each cluster to the middle of its points. */
function settled(points: readonly Cluster[], clusters: readonly Cluster[]): readonly Cluster[] {
  const members = clusters.map((): Cluster[] => []);
  for (const point of points) {
    const nearest = mostOf([...clusters.keys()], (index) => -distance(clusters[index]!, point));
    if (nearest !== undefined) members[nearest]!.push(point);
  }
  return members.filter((each) => each.length > 0).map(middleOf);
}

function middleOf(points: readonly Cluster[]): Cluster {
  const weight = points.reduce((sum, point) => sum + point.weight, 0);
  const mean = (axis: 0 | 1 | 2) => points.reduce((sum, point) => sum + point.weight * point.color[axis], 0) / weight;
  return { color: [mean(0), mean(1), mean(2)], weight };
}

/** The nearest two become one for as long as they look alike, or are too many. */
function merged(clusters: readonly Cluster[]): readonly Cluster[] {
  const pairs = clusters.flatMap((a, at) => clusters.slice(at + 1).map((b) => ({ a, b, apart: distance(a, b) })));
  const nearest = mostOf(pairs, ({ apart }) => -apart);
  if (!nearest || nearest.apart >= sameColor) return clusters.toSorted((a, b) => b.weight - a.weight);
  const { a, b } = nearest;
  return merged([...clusters.filter((each) => each !== a && each !== b), middleOf([a, b])]);
}

const distance = ({ color: a }: Cluster, { color: b }: Cluster) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

const toLinear = (level: number) => {
  const share = level / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};

const fromLinear = (share: number) => {
  const clipped = Math.min(1, Math.max(0, share));
  return Math.round(255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055));
};

function toLab(red: number, green: number, blue: number): Lab {
  const [r, g, b] = [toLinear(red), toLinear(green), toLinear(blue)];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function toHex([lightness, a, b]: Lab): string {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channels = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return `#${channels.map((share) => fromLinear(share).toString(16).padStart(2, "0")).join("")}`;
}
