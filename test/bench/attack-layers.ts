const shown = { position: 0, end: 0.1 };

/** Texts by letter, with an entrance, a loop and keyframes of ten properties. */
export const movingTexts = (count: number): readonly object[] => {
  const properties = [
    "centerX",
    "centerY",
    "scale",
    "rotation",
    "opacity",
    "blur",
    "hue",
    "skewX",
    "fontSize",
    "sepia",
  ];
  const keys = [0, 0.02, 0.04, 0.06, 0.08].map((at) => ({ at, value: 1, easing: "ease-in-out" }));
  const keyframes = Object.fromEntries(properties.map((name) => [name, keys]));
  const layer = { ...shown, type: "text", text: "letters ".repeat(50), fontSize: 8, maxWidth: 60, keyframes };
  const moves = { enter: { name: "slide", by: "letter", seconds: 0.05 }, loop: { name: "float", seconds: 0.5 } };
  return Array.from({ length: count }, () => ({ ...layer, ...moves }));
};

/** About `width` to the power of `depth` shapes. */
export const nested = (depth: number, width: number): object => {
  const inner = Array.from({ length: width }, () => (depth > 1 ? nested(depth - 1, width) : { type: "shape" }));
  const shape = { type: "shape", shape: "rect", width: 4, height: 4, fill: "#ff0000" };
  return {
    ...shown,
    type: "group",
    width: 64,
    height: 36,
    stagger: 0.001,
    layers: inner.map((each) => ({ ...shape, ...each })),
  };
};

/** Each is masked by the one after it. */
export const maskedLayers = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, at) => ({
    ...shown,
    ...{ id: `layer-${at}`, type: "shape", shape: "rect", width: 64, height: 36, fill: "#ff0000" },
    ...(at < count - 1 && { mask: { layer: `layer-${at + 1}` } }),
  }));

export const longPaths = (count: number): readonly object[] => {
  const d = `M0 0${Array.from({ length: 12_000 }, (_, at) => `L${at % 64} ${(at * 7) % 36}`).join("")}`.slice(
    0,
    90_000,
  );
  return Array.from({ length: count }, () => ({ ...shown, type: "shape", shape: "path", d, fill: "#ff0000" }));
};

export const blended = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, at) => ({
    ...shown,
    ...{ type: "shape", shape: "ellipse", width: 4096, height: 4096, fill: `#ff00${10 + at}` },
    ...{ centerX: 2048, centerY: 2048, blend: "soft-light", filter: { blur: 100 } },
  }));
