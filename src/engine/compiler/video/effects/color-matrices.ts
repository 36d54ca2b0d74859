import type { Filter } from "../../../timeline/motion.ts";

/** The values of a filter on one frame, but for its blur. */
export type Coloring = Required<Omit<Filter, "blur" | "tint">> & Pick<Filter, "tint">;

/** The row of a channel: factors of red, green and blue, and what is added to levels of 0..255. */
type Row = readonly [red: number, green: number, blue: number, offset: number];

/** The rows of red, green and blue. The result is cut to 0..255. */
export type Matrix = readonly [Row, Row, Row];

/** Factors that differ by less look alike, and equal matrices of neighboring frames share a filter. */
const rounded = (value: number) => Math.round(value * 256) / 256;

const factor = (value: number) => Math.max(0, rounded(value));

const share = (value: number) => Math.min(1, factor(value));

/** The functions of CSS Filter Effects 1 that change anything, in the order of the filter. */
export function matricesOf(filter: Coloring): readonly Matrix[] {
  const { brightness, contrast, saturation, grayscale, sepia, invert, hue, tint } = filter;
  const degrees = Math.round(hue * 2) / 2;
  const inverted = share(invert);
  const amount = share(tint?.amount ?? 0) * (tint?.color.alpha ?? 1);
  return [
    ...inSteps(factor(brightness), (by) => scaling(by)),
    ...inSteps(factor(contrast), (by) => scaling(by, 127.5 * (1 - by))),
    ...inSteps(factor(saturation), (by) => mixed(gray, identity, by)),
    ...inSteps(1 - share(grayscale), (by) => mixed(gray, identity, by)),
    ...(share(sepia) === 0 ? [] : [mixed(identity, brown, share(sepia))]),
    ...(inverted === 0 ? [] : [scaling(1 - 2 * inverted, 255 * inverted)]),
    ...(degrees % 360 === 0 ? [] : [turned(degrees)]),
    ...(tint && amount > 0 ? [mixed(identity, plain(tint.color), amount)] : []),
  ];
}

/** Joins each matrix with the one before it, if that leaves all levels in their range: so nothing is cut between them. */
export function joined(matrices: readonly Matrix[]): readonly Matrix[] {
  const result: Matrix[] = [];
  for (const next of matrices) {
    const last = result.at(-1);
    const product = last && keepsRange(last) ? multiplied(next, last) : undefined;
    if (product?.every(isInFilter)) result[result.length - 1] = product;
    else result.push(next);
  }
  return result;
}

const isInFilter = ([r, g, b, offset]: Row): boolean => Math.max(...[r, g, b, offset / 255].map(Math.abs)) <= most;

const tolerance = 0.5;

const keepsRange = (matrix: Matrix): boolean =>
  matrix.every(([r, g, b, offset]) => {
    const sum = (sign: 1 | -1) => 255 * [r, g, b].reduce((total, entry) => total + Math.max(0, sign * entry), 0);
    return offset + sum(1) <= 255 + tolerance && offset - sum(-1) >= -tolerance;
  });

const multiplied = (later: Matrix, first: Matrix): Matrix => {
  const entry = (row: Row, column: 0 | 1 | 2 | 3) =>
    row[0] * first[0][column] + row[1] * first[1][column] + row[2] * first[2][column];
  return mapRows(later, (row) => [entry(row, 0), entry(row, 1), entry(row, 2), entry(row, 3) + row[3]]);
};

const mapRows = ([red, green, blue]: Matrix, map: (row: Row) => Row): Matrix => [map(red), map(green), map(blue)];

/** The largest factor whose entries are in the range of ffmpeg's filter. */
const most = 2;

/** Larger factors take several steps. */
function inSteps(by: number, matrixOf: (by: number) => Matrix): readonly Matrix[] {
  if (by === 1) return [];
  return by <= most ? [matrixOf(by)] : [matrixOf(most), ...inSteps(by / most, matrixOf)];
}

const scaling = (by: number, offset = 0): Matrix => [
  [by, 0, 0, offset],
  [0, by, 0, offset],
  [0, 0, by, offset],
];

const identity = scaling(1);

const luma: Row = [0.213, 0.715, 0.072, 0];
const gray: Matrix = [luma, luma, luma];

const brown: Matrix = [
  [0.393, 0.769, 0.189, 0],
  [0.349, 0.686, 0.168, 0],
  [0.272, 0.534, 0.131, 0],
];

const plain = ({ red, green, blue }: NonNullable<Coloring["tint"]>["color"]): Matrix => [
  [0, 0, 0, red],
  [0, 0, 0, green],
  [0, 0, 0, blue],
];

function mixed(one: Matrix, other: Matrix, by: number): Matrix {
  const mix = (a: Row, b: Row): Row => {
    const entry = (column: 0 | 1 | 2 | 3) => a[column] * (1 - by) + b[column] * by;
    return [entry(0), entry(1), entry(2), entry(3)];
  };
  return [mix(one[0], other[0]), mix(one[1], other[1]), mix(one[2], other[2])];
}

function turned(degrees: number): Matrix {
  const angle = (degrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const [r, g, b] = luma;
  return [
    [r + cos * (1 - r) - sin * r, g - cos * g - sin * g, b - cos * b + sin * (1 - b), 0],
    [r - cos * r + sin * 0.143, g + cos * (1 - g) + sin * 0.14, b - cos * b - sin * 0.283, 0],
    [r - cos * r - sin * (1 - r), g - cos * g + sin * g, b + cos * (1 - b) + sin * b, 0],
  ];
}
