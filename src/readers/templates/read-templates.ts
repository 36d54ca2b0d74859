import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Designs, designOf, templateKinds } from "../../domain/templates/library/design.ts";

/** Reads the designs in a folder. Throws if a file is missing or wrong. */
export function readTemplates(folder: string): Designs {
  const shared = readFileSync(join(folder, "shared.css"), "utf8");
  const designs = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const files = readdirSync(join(folder, name)).filter((file) => /\.(?:html|json)$/.test(file));
      const texts = files.map((file) => [file, readFileSync(join(folder, name, file), "utf8")] as const);
      return designOf(name, Object.fromEntries(texts), shared);
    });
  const last = designs.length;
  const inOrder = designs.toSorted(
    (one, other) =>
      (one.order ?? last) - (other.order ?? last) ||
      templateKinds.indexOf(one.kind) - templateKinds.indexOf(other.kind) ||
      (one.id < other.id ? -1 : 1),
  );
  return new Map(inOrder.map((design) => [design.id, design]));
}
