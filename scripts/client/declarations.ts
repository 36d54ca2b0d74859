import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { flattenClient } from "./flatten.ts";

const root = join(import.meta.dir, "../..");

/** Writes one declaration file for the package. It imports nothing but hono. */
export async function buildDeclarations(target: string): Promise<void> {
  // beside the target, where the compiler finds hono
  const folder = join(dirname(target), "types");
  await mkdir(folder, { recursive: true });
  try {
    await emitDeclarations(folder);
    await cutServices(join(folder, "src/app.d.ts"));
    const bundled = join(folder, "bundled.d.ts");
    await bundle(join(folder, "client/src/index.d.ts"), bundled);
    await Bun.write(bundled, flattenClient(bundled, "Rpc"));
    // again, which leaves out what only the inferred type needed
    await bundle(bundled, target);
    await assertImportsOnlyHono(target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A declaration file for each module that the client's types reach. */
async function emitDeclarations(outDir: string): Promise<void> {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const project = join(root, "client/tsconfig.json");
  // errors are those of a check of the repository: without one this takes half of the time
  const command = ["node", tsc, "-p", project, "--outDir", outDir, "--noCheck"];
  const compiler = Bun.spawn(command, { cwd: root, stdout: "pipe", stderr: "inherit" });
  const output = await new Response(compiler.stdout).text();
  if ((await compiler.exited) !== 0) throw new Error(`The client's types cannot be written:\n${output}`);
}

const parameters = "export declare function createApp(";
const result = '): import("hono/hono-base").HonoBase<AppEnv,';

/** Of the app only its routes are needed: its parameters and its context would bring the whole service. */
async function cutServices(path: string): Promise<void> {
  const source = await Bun.file(path).text();
  const at = source.indexOf(result);
  if (at < 0) throw new Error("The type of createApp has another form: change cutServices with it.");
  const routes = source.slice(at + result.length);
  await Bun.write(path, `${parameters}${result.replace("AppEnv", "{}")}${routes}`);
}

async function bundle(from: string, to: string): Promise<void> {
  const build = await rolldown({
    input: from,
    // other packages are of parts that are left out
    external: /^[^./]/,
    plugins: [dts({ dtsInput: true, generator: "oxc", tsconfig: false })],
  });
  const { output } = await build.generate({ format: "es" });
  await build.close();
  const [file, ...others] = output;
  if (others.length > 0) throw new Error("The declarations do not fit into one file.");
  await Bun.write(to, file.code);
}

async function assertImportsOnlyHono(path: string): Promise<void> {
  const source = await Bun.file(path).text();
  const imported = [...source.matchAll(/(?:from |import\()"([^"]+)"/g)].map(([, name]) => name!);
  const others = imported.filter((name) => !/^hono(\/|$)/.test(name));
  if (others.length > 0) throw new Error(`The client's types import ${others.join(", ")}.`);
}
