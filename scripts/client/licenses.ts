import { readdir } from "node:fs/promises";
import { join } from "node:path";

type BundledPackage = { readonly name: string; readonly folder: string };

const packagePattern = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/** The licences of the packages that these files belong to. Throws if one has none. */
export async function licenseTexts(files: readonly string[]): Promise<string> {
  const folders = new Map(files.flatMap((file) => packageOf(file)).map((found) => [found.folder, found]));
  const packages = [...folders.values()].sort((a, b) => a.name.localeCompare(b.name));
  return (await Promise.all(packages.map(licenseText))).join(`\n${"-".repeat(80)}\n\n`);
}

function packageOf(file: string): readonly BundledPackage[] {
  const [, folder, name] = packagePattern.exec(file) ?? [];
  return folder && name ? [{ folder, name }] : [];
}

async function licenseText({ name, folder }: BundledPackage): Promise<string> {
  const { version, license } = await Bun.file(join(folder, "package.json")).json();
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e\b/i.test(entry));
  if (!file) throw new Error(`${name} has no licence file.`);
  return `${name} ${version} (${license})\n\n${(await Bun.file(join(folder, file)).text()).trim()}\n`;
}
