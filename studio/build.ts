import { createHash } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BunPlugin } from "bun";

/** A file of the page, served under its name, which changes with its content. */
type StudioFile = { readonly name: string; readonly mimeType: string; readonly bytes: Uint8Array<ArrayBuffer> };

/** The page, and the files that it names. */
type Studio = { readonly html: string; readonly files: readonly StudioFile[] };

const root = import.meta.dir;
const built = join(root, "dist");

const mimeTypes: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
};
const mimeTypeOf = (name: string) => mimeTypes[name.split(".").at(-1)!] ?? "application/octet-stream";

/** Compiles JSX to calls with children as arguments, which take a hundredth less of the compressed page than an array. */
const classicJsx: BunPlugin = {
  name: "classic-jsx",
  setup(build) {
    const pragmas = "/** @jsxRuntime classic *//** @jsx createNode *//** @jsxFrag NodeGroup */";
    const head = `${pragmas}import { h as createNode, Fragment as NodeGroup } from "preact";`;
    build.onLoad({ filter: /studio\/src\/.*\.tsx$/ }, async ({ path }) => ({
      loader: "tsx",
      contents: head + (await Bun.file(path).text()),
    }));
  },
};

/** Bundles the page. Throws what the bundler says. */
export async function buildStudio(): Promise<Studio> {
  const entrypoints = [join(root, "src/main.tsx"), join(root, "src/style.css")];
  // fonts and pictures are those of the page at /
  const options = { minify: true, target: "browser" as const, external: ["/home/*"], plugins: [classicJsx] };
  const define = { "process.env.NODE_ENV": '"production"', "window.__PREACT_SIGNALS_DEVTOOLS__": "false" };
  // parts that main.js loads later have a hash of their own, by which it names them
  const parts = { splitting: true, naming: { entry: "[name].[ext]", chunk: "part-[hash].[ext]" } };
  const { outputs } = await Bun.build({ entrypoints, ...options, ...parts, define });
  const words = ["en", "de"].map((language) => join(root, `src/words/${language}.json`));
  const sources = [
    ...(await Promise.all(
      outputs.map(async (output) => [fileName(output.path), new Uint8Array(await output.arrayBuffer())] as const),
    )),
    ...(await Promise.all(words.map(async (path) => [fileName(path), await Bun.file(path).bytes()] as const))),
  ];
  const files = sources.map(([name, bytes]) => ({
    name: isPart(name) ? name : hashedName(name, bytes),
    plain: name,
    bytes,
  }));
  const filled = files.reduce(
    (text, { name, plain }) => text.replaceAll(`{{${plain}}}`, `/studio/files/${name}`),
    await Bun.file(join(root, "index.html")).text(),
  );
  const main = files.find(({ plain }) => plain === "main.js");
  // otherwise the browser learns of them from main.js
  const needed = [...new TextDecoder().decode(main?.bytes).matchAll(/from"\.\/(part-\w+\.js)"/g)];
  const preloads = needed.map(([, name]) => `<link rel="modulepreload" href="/studio/files/${name}" />\n    `);
  const html = filled.replace('<script type="module"', `${preloads.join("")}<script type="module"`);
  return { html, files: files.map(({ name, bytes }) => ({ name, mimeType: mimeTypeOf(name), bytes })) };
}

const fileName = (path: string) => path.slice(path.lastIndexOf("/") + 1);

const isPart = (name: string) => name.startsWith("part-");

function hashedName(name: string, bytes: Uint8Array): string {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  return name.replace(/(\.\w+)$/, `-${hash}$1`);
}

/** Bundles the page, which takes a moment; an image has no sources of it, and what was built of them. */
export async function readStudio(): Promise<Studio> {
  if (await Bun.file(join(root, "src/main.tsx")).exists()) return buildStudio();
  const names = [...new Bun.Glob("files/*").scanSync(built)].map(fileName);
  const files = names.map(async (name) => ({
    name,
    mimeType: mimeTypeOf(name),
    bytes: await Bun.file(join(built, "files", name)).bytes(),
  }));
  return { html: await Bun.file(join(built, "index.html")).text(), files: await Promise.all(files) };
}

if (import.meta.main) {
  const { html, files } = await buildStudio();
  await rm(built, { recursive: true, force: true });
  await mkdir(join(built, "files"), { recursive: true });
  await Bun.write(join(built, "index.html"), html);
  for (const { name, bytes } of files) await Bun.write(join(built, "files", name), bytes);
  const lines = files.map(
    ({ name, bytes }) => `${name}: ${bytes.length} bytes, ${Bun.gzipSync(bytes).length} in gzip\n`,
  );
  process.stdout.write(lines.join(""));
}
