import type { AspectRatio } from "../../shared/schemas.ts";
import type { Placed, SceneLayers } from "./scene-layers.ts";

/** A scene as another target shows it. */
export type TargetLayers = { readonly target: AspectRatio; readonly layers: SceneLayers };

const textFields = ["fontSize", "letterSpacing", "maxWidth", "maxHeight", "padding", "radius"];
const sizeFields = ["width", "height"];
const cardFields = ["html", "css"];

/** Joins the layers of a scene for its first target with those for the others, as their `targets`. */
export function inTargets(first: TargetLayers, others: readonly TargetLayers[]): SceneLayers {
  if (others.length === 0) return first.layers;
  const all = [first, ...others];
  const joined = <Item>(
    itemsOf: (layers: SceneLayers) => readonly Item[],
    keyOf: (item: Item) => string,
    merge: (item: Item, targets: Targets) => Item,
    fieldsOf: (item: Item, base: Item) => Fields,
  ): readonly Item[] => {
    const found = all.map(({ target, layers }) => ({
      target,
      items: new Map(itemsOf(layers).map((item) => [keyOf(item), item])),
    }));
    const keys = new Set(found.flatMap(({ items }) => [...items.keys()]));
    return [...keys].map((key) => {
      const base = found.find(({ items }) => items.has(key))!.items.get(key)!; // safe because one has the key
      const targets = found.flatMap(({ target, items }) => {
        const item = items.get(key);
        if (item === base && target === first.target) return [];
        return [[target, item ? fieldsOf(item, base) : { hidden: true }] as const];
      });
      return merge(base, Object.fromEntries(targets));
    });
  };
  const withTargets = (placed: Placed, targets: Targets): Placed => ({
    ...placed,
    overlay: { ...placed.overlay, targets },
  });
  return {
    texts: joined(
      ({ texts }) => texts,
      ({ box }) => box,
      withTargets,
      ({ overlay }) => ({
        ...pick(overlay, [...positions, ...textFields]),
        text: overlay.text ?? (overlay.spans as readonly { readonly text: string }[] | undefined)?.[0]?.text,
      }),
    ),
    images: joined(
      ({ images }) => images,
      ({ box }) => box,
      withTargets,
      ({ overlay }) => pick(overlay, [...positions, ...sizeFields]),
    ),
    layers: joined(
      ({ layers }) => layers,
      ({ id }) => id,
      (layer, targets) => ({ ...layer, targets }),
      (layer, base) => ({
        ...pick(layer, [...positions, ...sizeFields]),
        ...pick(
          layer,
          cardFields.filter((field) => layer[field] !== base[field]),
        ),
      }),
    ),
    effects: first.layers.effects,
  };
}

const positions = ["centerX", "centerY"];

type Fields = { readonly [field: string]: unknown };
type Targets = { readonly [target: string]: Fields };

const pick = (from: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
