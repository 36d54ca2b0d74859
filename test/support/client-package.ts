import { chmod, cp, exists, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Glob } from "bun";
import { buildCommandLine, buildLibrary } from "../../scripts/client/bundles.ts";
import { textOf } from "./child-processes.ts";

const root = join(import.meta.dir, "../..");

/** The command line and its library, built into a folder from where Node finds hono; returns the path of the bin. */
export async function builtCommandLine(folder: string): Promise<string> {
  const bin = join(folder, "cli.js");
  await Promise.all([buildCommandLine(bin), buildLibrary(join(folder, "index.js"))]);
  await Bun.write(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await linkHono(folder);
  await chmod(bin, 0o755);
  return bin;
}

/**
 * The path of the package as it is published. Stored in the system's temporary folder for all runs until a file that it
 * is made from changes: the declarations take seconds.
 */
async function packedClient(): Promise<string> {
  const path = join(tmpdir(), `reelwright-test-client-${await packageVersion()}.tgz`);
  if (await exists(path)) return path;
  await run([process.execPath, "scripts/build-client.ts"], root);
  const partial = `${path}.${crypto.randomUUID()}`;
  await run([process.execPath, "pm", "pack", "--filename", partial, "--quiet"], join(root, "client"));
  // renamed into place, so that no other process reads half of it
  await rename(partial, path);
  return path;
}

/** Installs the packed client into an empty project, with what the project holds, and returns the package's path. */
export async function installClient(folder: string): Promise<string> {
  const tarball = await packedClient();
  // hono from this repository, so that no registry is needed
  const hono = `file:${join(root, "node_modules/hono")}`;
  const manifest = { type: "module", dependencies: { reelwright: `file:${tarball}`, hono } };
  await Bun.write(join(folder, "package.json"), JSON.stringify(manifest));
  await run(["npm", "install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts"], folder);
  await cp(join(root, "test/client/consumer"), folder, { recursive: true });
  return tarball;
}

/** The compilers that a user's project must pass. */
export const compilers = ["typescript", "typescript-5.9"] as const;

/** The command that checks the project of a folder. */
export const typeCheck = (compiler: (typeof compilers)[number]): readonly string[] => [
  "node",
  join(root, "node_modules", compiler, "bin/tsc"),
  "-p",
  ".",
];

const packageSources = [
  "bun.lock",
  "LICENSE",
  "client/*.{json,md}",
  "client/src/**/*.ts",
  "src/**/*.ts",
  "scripts/build-client.ts",
  "scripts/client/*.ts",
];

/** A hash of everything that decides the package's content. */
async function packageVersion(): Promise<string> {
  const found = await Promise.all(packageSources.map((pattern) => Array.fromAsync(new Glob(pattern).scan(root))));
  const names = found.flat().sort();
  const texts = await Promise.all(names.map((name) => Bun.file(join(root, name)).text()));
  return Bun.hash(JSON.stringify([names, texts])).toString(16);
}

/** hono from this repository, so that no registry is needed. */
const linkHono = (folder: string): Promise<unknown> =>
  run(["sh", "-c", 'mkdir -p node_modules && ln -s "$0" node_modules/hono', join(root, "node_modules/hono")], folder);

/** Runs a command to its end and returns its output; throws if it fails. */
export async function run(command: readonly string[], cwd: string, env = process.env): Promise<string> {
  const child = Bun.spawn([...command], { cwd, env, stdout: "pipe", stderr: "pipe" });
  const [output, errors, exitCode] = await Promise.all([textOf(child.stdout), textOf(child.stderr), child.exited]);
  if (exitCode !== 0) throw new Error(`${command.join(" ")}\n${output}${errors}`);
  return output;
}
