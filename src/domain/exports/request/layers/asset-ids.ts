type Value = unknown;

const idFields: ReadonlySet<string> = new Set(["assetId", "fontAssetId"]);

type NamedAsset = {
  readonly path: string;
  readonly id: string;
  /** What the field takes. */
  readonly type: "image" | "video" | "font";
};

/** The address of a picture in HTML or CSS. */
const assetAddress = /\basset:([\w-]+)/g;

const isCode = (key: string, child: Value): child is string =>
  (key === "html" || key === "css") && typeof child === "string";

/** The ids of all files in a value of a request, in layers of groups and in masks too, by their paths. */
export function assetIdsIn(value: Value, path: string): readonly NamedAsset[] {
  if (typeof value !== "object" || value === null) return [];
  const isVideo = "type" in value && value.type === "video";
  return Object.entries(value).flatMap(([key, child]) =>
    idFields.has(key) && typeof child === "string"
      ? [{ path: `${path}.${key}`, id: child, type: key === "fontAssetId" ? "font" : isVideo ? "video" : "image" }]
      : isCode(key, child)
        ? [...child.matchAll(assetAddress)].map(([, id = ""]) => ({
            path: `${path}.${key}`,
            id,
            type: "image" as const,
          }))
        : assetIdsIn(child, `${path}.${key}`),
  );
}

/** Replaces the ids of all files in a value of a request. */
export function mapAssetIds<Item>(
  value: Item,
  path: string,
  map: (id: string, path: string) => string | undefined,
): Item {
  const mapped = (child: Value, at: string): Value => {
    if (Array.isArray(child)) return child.map((each, index) => mapped(each, `${at}.${index}`));
    if (typeof child !== "object" || child === null) return child;
    return Object.fromEntries(
      Object.entries(child).map(([key, inner]) => {
        if (isCode(key, inner)) {
          const renamed = (address: string, id: string) => {
            const to = map(id, `${at}.${key}`);
            return to === undefined ? address : `asset:${to}`;
          };
          return [key, inner.replace(assetAddress, renamed)];
        }
        const isId = idFields.has(key) && typeof inner === "string";
        return [key, isId ? map(inner, `${at}.${key}`) : mapped(inner, `${at}.${key}`)];
      }),
    );
  };
  // safe because only ids change
  return mapped(value, path) as Item;
}
