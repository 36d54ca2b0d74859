const families: Readonly<Record<string, string>> = {
  sine: "sine",
  sinusoid: "sine",
  quad: "quad",
  quadratic: "quad",
  cubic: "cubic",
  quart: "quart",
  quartic: "quart",
  quint: "quint",
  quintic: "quint",
  expo: "expo",
  exponential: "expo",
  circ: "circ",
  circular: "circ",
  back: "back",
  elastic: "elastic",
  bounce: "bounce",
};

const plain: Readonly<Record<string, string>> = {
  linear: "linear",
  ease: "ease",
  easein: "ease-in",
  easeout: "ease-out",
  easeinout: "ease-in-out",
  bezier: "ease-in-out",
  constant: "step",
  step: "step",
};

/** `cubic-bezier(0, 1.52, 0.27, 0.98)`, `steps(3)`. */
const form = /^(cubic-bezier\(\s*[-\d.]+\s*,\s*[-\d.]+\s*,\s*[-\d.]+\s*,\s*[-\d.]+\s*\)|steps\(\s*\d{1,3}\s*\))$/;

/** The easing of a name such as `easeOutBack`, `quadratic-out` or `cubic-in-out`; undefined for an unknown one. */
export function easingOf(name: string): string | undefined {
  const trimmed = name.trim();
  if (form.test(trimmed)) return trimmed.replaceAll(/\s+/g, "");
  const lower = trimmed.toLowerCase();
  if (Object.hasOwn(plain, lower)) return plain[lower];
  const [, way, after] = /^ease-?(inout|in-out|in|out)-?([a-z]+)$/.exec(lower) ?? [];
  if (way && after && Object.hasOwn(families, after)) return `${ways[way]}-${families[after]}`;
  const [, family, direction] = /^([a-z]+)-(in-out|in|out)$/.exec(lower) ?? [];
  return family && Object.hasOwn(families, family) ? `${ways[direction!]}-${families[family]}` : undefined;
}

const ways: Readonly<Record<string, string>> = { in: "in", out: "out", inout: "in-out", "in-out": "in-out" };
