import { join } from "node:path";

const iconsPath = join(import.meta.dir, "../../node_modules/@iconify-json/fluent-emoji/icons.json");

/** The bodies of all vectors by their names. */
export async function fluentVectors(): Promise<Readonly<Record<string, string>>> {
  const { icons }: { icons: Record<string, { body: string }> } = await Bun.file(iconsPath).json();
  return Object.fromEntries(Object.entries(icons).map(([name, { body }]) => [name, body]));
}

/** A whole drawing, with short names of its gradients and filters. */
export function minified(body: string): string {
  const ids = new Map([...body.matchAll(/ id="([^"]+)"/g)].map(([, id], index) => [id!, index.toString(36)]));
  const short = (id: string) => `i${ids.get(id) ?? id}`;
  const renamed = body
    .replace(/ id="([^"]+)"/g, (_, id) => ` id="${short(id)}"`)
    .replace(/url\(#([^)]+)\)/g, (_, id) => `url(#${short(id)})`)
    .replace(/ href="#([^"]+)"/g, (_, id) => ` href="#${short(id)}"`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${renamed}</svg>`;
}
