import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { downloadZip } from "client-zip";
import { readLooks } from "../../src/readers/looks/read-looks.ts";

const folder = join(import.meta.dir, "../../src/looks");

/** The looks of the service. */
export const { looks } = readLooks(folder);

/** The texts of a look's folder. */
export const filesOfLook = (name: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(join(folder, name))
      .filter((file) => /\.(?:html|css|json)$/.test(file))
      .map((file) => [file, readFileSync(join(folder, name, file), "utf8")]),
  );

/** A zip as users upload it. */
export async function lookZip(files: Record<string, string>, name = "mine.zip"): Promise<File> {
  const entries = Object.entries(files).map(([path, input]) => ({ name: path, input }));
  return new File([await downloadZip(entries).blob()], name, { type: "application/zip" });
}
