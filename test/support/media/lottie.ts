type Json = { readonly [field: string]: unknown };

const fixed = (k: unknown) => ({ a: 0, k });

const placed = (rest: Json = {}): Json => ({
  ...{ o: fixed(100), r: fixed(0), p: fixed([50, 50, 0]), a: fixed([0, 0, 0]), s: fixed([100, 100, 100]) },
  ...rest,
});

/** A Lottie animation of 100 × 100 with 30 frames a second, 60 frames long. */
export const lottie = (layers: readonly Json[], rest: Json = {}): Json => ({
  ...{ v: "5.7.0", fr: 30, ip: 0, op: 60, w: 100, h: 100, ddd: 0, assets: [], layers },
  ...rest,
});

const times = { ip: 0, op: 60, st: 0, sr: 1, ddd: 0, bm: 0 };

export const redFill: Json = { ty: "fl", c: fixed([1, 0, 0, 1]), o: fixed(100), r: 1 };

/** From red at the left to blue at the right. */
export const gradientFill: Json = {
  ...{ ty: "gf", t: 1, s: fixed([-20, 0]), e: fixed([20, 0]), o: fixed(100), r: 1 },
  g: { p: 2, k: fixed([0, 1, 0, 0, 1, 0, 0, 1]) },
};

/** A square of 40 × 40 in the middle. */
export const square = (fill: Json, rest: Json = {}): Json => ({
  ...{ ty: 4, nm: "square", ind: 1, ...times, ks: placed() },
  shapes: [
    {
      ty: "gr",
      it: [
        { ty: "rc", d: 1, s: fixed([40, 40]), p: fixed([0, 0]), r: fixed(0) },
        fill,
        { ty: "tr", p: fixed([0, 0]), a: fixed([0, 0]), s: fixed([100, 100]), r: fixed(0), o: fixed(100) },
      ],
    },
  ],
  ...rest,
});

/** Moves by one pixel a frame, from x = 20 on. */
export const movingSquare = (): Json => {
  const easing = { i: { x: [1], y: [1] }, o: { x: [0], y: [0] } };
  return square(redFill, {
    ks: placed({
      p: {
        a: 1,
        k: [
          { t: 0, s: [20, 50, 0], ...easing },
          { t: 60, s: [80, 50, 0] },
        ],
      },
    }),
  });
};

/** Blue words, whose baseline begins at (10, 60). */
export const words = (name: string, text: string, rest: Json = {}): Json => ({
  ...{ ty: 5, nm: name, ind: 2, ...times, ks: placed({ p: fixed([10, 60, 0]) }) },
  t: {
    d: { k: [{ t: 0, s: { s: 24, f: "F1", t: text, j: 0, tr: 0, lh: 28, ls: 0, fc: [0, 0, 1] } }] },
    ...{ p: {}, m: { g: 1, a: fixed([0, 0]) }, a: [] },
  },
  ...rest,
});

export const font = { fonts: { list: [{ fName: "F1", fFamily: "Inter", fStyle: "Bold", ascent: 75 }] } };

export const lottieBytes = (json: Json): Uint8Array => new TextEncoder().encode(JSON.stringify(json));
