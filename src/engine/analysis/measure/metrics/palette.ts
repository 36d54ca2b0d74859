import { converter, formatHex } from "culori";
import { sum } from "../../../../platform/values.ts";

/** A point in OKLab, or a cluster of them; distances there match how different colors look. */
type Cluster = { readonly l: number; readonly a: number; readonly b: number; readonly weight: number };

const maxColors = 5;
/** The distance in OKLab below which colors look equal unless they are side by side. */
const sameColorDistance = 0.09;
/** The minimum share of all pixels. */
const minShare = 0.02;
const iterations = 6;

/** Up to five representative colors as `#rrggbb`, the most common first, by k-means. `rgb` has three bytes a pixel. */
export function extractPalette(rgb: readonly Uint8Array[]): readonly string[] {
  const points = histogramPoints(rgb);
  const total = sum(points.map(({ weight }) => weight));
  let clusters = seedClusters(points);
  for (let iteration = 0; iteration < iterations; iteration++) clusters = updateClusters(points, clusters);
  const distinct = mergeSimilar(clusters).filter(({ weight }, index) => index === 0 || weight >= minShare * total);
  return distinct.slice(0, maxColors).map(({ l, a, b }) => formatHex({ mode: "oklab", l, a, b }));
}

const toOklab = converter("oklab");

/** One point for each bin of a color histogram with five bits a channel: the mean color of its pixels. */
function histogramPoints(rgb: readonly Uint8Array[]): readonly Cluster[] {
  const bins = new Map<number, { red: number; green: number; blue: number; count: number }>();
  for (const bytes of rgb) {
    for (let at = 0; at + 2 < bytes.length; at += 3) {
      const red = bytes[at]!;
      const green = bytes[at + 1]!;
      const blue = bytes[at + 2]!;
      const key = ((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3);
      const bin = bins.get(key) ?? { red: 0, green: 0, blue: 0, count: 0 };
      bins.set(key, bin);
      bin.red += red;
      bin.green += green;
      bin.blue += blue;
      bin.count++;
    }
  }
  return [...bins.values()].map(({ red, green, blue, count }) => {
    const scale = 255 * count;
    const { l, a, b } = toOklab({ mode: "rgb", r: red / scale, g: green / scale, b: blue / scale });
    return { l, a, b, weight: count };
  });
}

/** Seeds like those of k-means++, but deterministic: next is the point with the most weight × squared distance. */
function seedClusters(points: readonly Cluster[]): readonly Cluster[] {
  const seeds: Cluster[] = [];
  while (seeds.length < maxColors + 3) {
    const score = (point: Cluster) =>
      seeds.length === 0 ? point.weight : point.weight * Math.min(...seeds.map((seed) => distance(seed, point))) ** 2;
    const best = maxBy(points, score);
    if (!best || score(best) <= 0) break;
    seeds.push(best);
  }
  return seeds;
}

function maxBy<T>(values: readonly T[], score: (value: T) => number): T | undefined {
  let best: T | undefined;
  let highest = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    const current = score(value);
    if (current > highest) {
      best = value;
      highest = current;
    }
  }
  return best;
}

/** One iteration of k-means: assigns each point to its nearest cluster and moves the clusters to their means. */
function updateClusters(points: readonly Cluster[], clusters: readonly Cluster[]): readonly Cluster[] {
  const members = clusters.map((): Cluster[] => []);
  for (const point of points) {
    const nearest = maxBy([...clusters.keys()], (index) => -distance(clusters[index]!, point));
    if (nearest !== undefined) members[nearest]!.push(point);
  }
  return members.filter((each) => each.length > 0).map(weightedMean);
}

function weightedMean(points: readonly Cluster[]): Cluster {
  const weight = sum(points.map((point) => point.weight));
  const mean = (axis: "l" | "a" | "b") => sum(points.map((point) => point.weight * point[axis])) / weight;
  return { l: mean("l"), a: mean("a"), b: mean("b"), weight };
}

/** Merges the nearest pair until all clusters look different. Sorted by weight. */
function mergeSimilar(clusters: readonly Cluster[]): readonly Cluster[] {
  const pairs = clusters.flatMap((first, index) =>
    clusters.slice(index + 1).map((second) => ({ first, second, apart: distance(first, second) })),
  );
  const nearest = maxBy(pairs, ({ apart }) => -apart);
  if (!nearest || nearest.apart >= sameColorDistance) return clusters.toSorted((a, b) => b.weight - a.weight);
  const { first, second } = nearest;
  const others = clusters.filter((cluster) => cluster !== first && cluster !== second);
  return mergeSimilar([...others, weightedMean([first, second])]);
}

const distance = (first: Cluster, second: Cluster) =>
  Math.hypot(first.l - second.l, first.a - second.a, first.b - second.b);
