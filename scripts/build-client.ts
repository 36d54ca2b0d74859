import { chmod, copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { buildCommandLine, buildLibrary } from "./client/bundles.ts";
import { buildDeclarations } from "./client/declarations.ts";
import { licenseTexts } from "./client/licenses.ts";

/** Builds the npm package in `client/`: `npm pack ./client` then makes a tarball of it. */

const root = join(import.meta.dir, "..");
const dist = join(root, "client/dist");
const startedAt = performance.now();

await rm(dist, { recursive: true, force: true });
const [library, commandLine] = await Promise.all([
  buildLibrary(join(dist, "index.js")),
  buildCommandLine(join(dist, "cli.js")),
  buildDeclarations(join(dist, "index.d.ts")),
]);
await Bun.write(join(dist, "third-party-licenses.txt"), await licenseTexts([...library, ...commandLine]));
await chmod(join(dist, "cli.js"), 0o755);
await copyFile(join(root, "LICENSE"), join(root, "client/LICENSE"));

const sizes = ["index.js", "index.d.ts", "cli.js"].map(
  (name) => `${name} ${Math.ceil(Bun.file(join(dist, name)).size / 1024)} KB`,
);
console.log(`client/dist: ${sizes.join(", ")} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
