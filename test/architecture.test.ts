import { expect, test } from "bun:test";
import { dirname, join } from "node:path/posix";
import { Glob } from "bun";

/** The layers of src and the layers that each may import. All may import errors.ts. */
const mayImport: Record<string, readonly string[]> = {
  platform: [],
  engine: ["platform"],
  readers: ["domain", "engine", "platform"],
  domain: ["engine", "platform"],
  providers: ["domain", "engine", "platform"],
  security: ["domain", "engine", "platform"],
  http: ["domain", "engine", "platform", "services.ts"],
  storage: ["domain", "engine", "platform"],
  observability: ["domain", "engine", "platform"],
  commands: ["domain", "engine", "platform", "security", "storage", "env.ts", "process", "wiring.ts"],
  process: [
    "domain",
    "engine",
    "http",
    "observability",
    "platform",
    "providers",
    "readers",
    "security",
    "storage",
    "env.ts",
    "services.ts",
    "wiring.ts",
    "..",
  ],
};

const sourcesIn = async (folder: string, pattern: string): Promise<ReadonlyMap<string, string>> => {
  const found = (await Array.fromAsync(new Glob(pattern).scan(folder))).sort();
  return new Map(
    await Promise.all(found.map(async (path) => [path, await Bun.file(join(folder, path)).text()] as const)),
  );
};

/** One import, type imports included; both paths are relative to the folder of the files. */
type Import = { readonly file: string; readonly target: string };

const importsOf = (files: ReadonlyMap<string, string>): readonly Import[] =>
  [...files].flatMap(([file, code]) =>
    [...code.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].map(([, path]) => ({
      file,
      target: join(dirname(file), path!),
    })),
  );

const sources = await sourcesIn(`${import.meta.dir}/../src`, "**/*.ts");
const paths = [...sources.keys()];
const imports = importsOf(sources);

const layerOf = (path: string) => path.split("/")[0]!;

test("every folder of src has its rule", () => {
  const layers = new Set(paths.filter((path) => path.includes("/")).map(layerOf));
  expect([...layers].sort()).toEqual(Object.keys(mayImport).sort());
});

test.each(Object.entries(mayImport))("src/%s imports only the layers below it", (layer, allowed) => {
  const reachable = [layer, "errors.ts", ...allowed];
  expect(imports.filter(({ file, target }) => layerOf(file) === layer && !reachable.includes(layerOf(target)))).toEqual(
    [],
  );
});

test("no files import each other in a cycle", async () => {
  const studio = importsOf(await sourcesIn(`${import.meta.dir}/../studio/src`, "**/*.{ts,tsx}"));
  for (const all of [imports, studio]) expect(cycleIn(all.map(({ file, target }) => [file, target]))).toEqual([]);
});

test("layers above the engine use its timeline, its ports and its door", () => {
  const isPublic = /^engine\/(?:timeline\/|ports\.ts$|engine\.ts$)/;
  // they open ffmpeg and the sandbox, add tasks to its processes, or draw with its text
  const mayLookInside =
    /^(?:commands\/checks\/|process\/resources\.ts$|wiring\.ts$|sandboxed\.ts$|readers\/|providers\/local\/)/;
  const outside = imports.filter(({ file, target }) => layerOf(file) !== "engine" && layerOf(target) === "engine");
  expect(outside.filter(({ file, target }) => !isPublic.test(target) && !mayLookInside.test(file))).toEqual([]);
});

/** The layers inside the engine, as `mayImport`: all other folders of it may import these. */
const mayImportInEngine: Record<string, readonly string[]> = { timeline: [], compiler: ["timeline", "motion"] };

test.each(Object.entries(mayImportInEngine))("src/engine/%s imports only the layers below it", (layer, allowed) => {
  const folders = [layer, ...allowed].map((name) => `engine/${name}/`);
  const isAllowed = (path: string) => layerOf(path) !== "engine" || folders.some((folder) => path.startsWith(folder));
  const own = imports.filter(({ file }) => file.startsWith(`engine/${layer}/`));
  expect(own.length).toBeGreaterThan(20);
  expect(own.filter(({ target }) => !isAllowed(target))).toEqual([]);
});

/** The folder of a file inside a layer; for a file directly in the layer, the file itself. */
function roomOf(path: string): string {
  const isInLayer = path.split("/").length === 2 || /^engine\/(?:timeline|compiler)\/[^/]+$/.test(path);
  return isInLayer ? path : dirname(path);
}

test.each(Object.keys(mayImport))("the folders of src/%s import each other in one direction", (layer) => {
  const inside = imports.filter(({ file, target }) => layerOf(file) === layer && layerOf(target) === layer);
  expect(cycleIn(inside.map(({ file, target }) => [roomOf(file), roomOf(target)]))).toEqual([]);
});

/** The first cycle that a depth-first search finds, as the names along it; empty when the arrows form a DAG. */
function cycleIn(arrows: readonly (readonly [from: string, to: string])[]): readonly string[] {
  const targets = Map.groupBy(arrows, ([from]) => from);
  const finished = new Set<string>();
  const visit = (name: string, path: readonly string[]): readonly string[] => {
    if (finished.has(name)) return [];
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    for (const [, to] of targets.get(name) ?? []) {
      if (to === name) continue;
      const cycle = visit(to, [...path, name]);
      if (cycle.length > 0) return cycle;
    }
    finished.add(name);
    return [];
  };
  for (const name of targets.keys()) {
    const cycle = visit(name, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

test("no file repeats its folder's name as a prefix", () => {
  expect(
    paths.filter((path) =>
      path
        .split("/")
        .at(-1)!
        .startsWith(`${path.split("/").at(-2)}-`),
    ),
  ).toEqual([]);
});

const filesWith = (pattern: RegExp, isAllowed: (path: string) => boolean) =>
  paths.filter((path) => !isAllowed(path) && pattern.test(sources.get(path)!));

test("only env.ts reads the environment", () => {
  expect(filesWith(/process\.env|Bun\.env/, (path) => path === "env.ts")).toEqual([]);
});

test("only the compiler writes filters, stream specifiers and options of inputs and outputs", () => {
  const option =
    /"-\/?(?:i|ss|t|to|map|vf|af|vn|an|filter[_:a-z]*|c|c:[va]|frames:[va]|pix_fmt|crf|preset|r|movflags)"/;
  const specifier = /"(?:\[?\d+:[va])/;
  const pattern = new RegExp(`${option.source}|${specifier.source}`);
  expect(filesWith(pattern, (path) => path.startsWith("engine/compiler/"))).toEqual([]);
});

const tests = await sourcesIn(import.meta.dir, "**/*.ts");

test("a fact starts no process of the service and no browser: that is a trial", () => {
  const trialsOnly = ["support/processes.ts", "support/browser.ts"];
  const importsByFile = Map.groupBy(importsOf(tests), ({ file }) => file);
  const imported = (fact: string) => {
    const all = new Set([fact]);
    for (const file of all) for (const { target } of importsByFile.get(file) ?? []) all.add(target);
    return all;
  };
  const facts = [...tests.keys()].filter((path) => /(?<!\.trial)\.test\.ts$/.test(path));
  expect(facts.length).toBeGreaterThan(300);
  expect(facts.filter((fact) => trialsOnly.some((helper) => imported(fact).has(helper)))).toEqual([]);
});

test("each room of http has facts", () => {
  const rooms = new Set(paths.flatMap((path) => /^http\/(\w+)\//.exec(path)?.[1] ?? []));
  // its page is tried in a browser
  rooms.delete("studio");
  const hasFacts = (room: string) =>
    [...tests.keys()].some((path) => path.startsWith(`http/${room}/`) && /(?<!\.trial)\.test\.ts$/.test(path));
  expect([...rooms].filter((room) => !hasFacts(room))).toEqual([]);
});

/** Modules that a module loads: all that it imports except by `import type`. */
function loadedBy(path: string): readonly string[] {
  const statements = sources.get(path)!.matchAll(/^(?:import|export)(?! type\b)[^;]*?"([^"]+)"|import\("([^"]+)"\)/gm);
  const names = [...statements].map(([, name, dynamicName]) => (name ?? dynamicName)!);
  return names.map((name) => (name.startsWith(".") ? join(dirname(path), name) : name));
}

/** The modules that a program loads, directly or not, with those outside of src. */
function loadedWith(program: string): ReadonlySet<string> {
  const loaded = new Set([program]);
  for (const path of loaded) if (sources.has(path)) for (const name of loadedBy(path)) loaded.add(name);
  return loaded;
}

test("the server loads no native code for images and fonts: only the processes for them do", () => {
  const isNative = (path: string) => path.startsWith("@napi-rs/canvas");
  expect([...loadedWith("main.ts")].filter(isNative)).toEqual([]);
  expect([...loadedWith("sandboxed.ts")].filter(isNative)).not.toEqual([]);
  expect(loadedWith("main.ts")).toContain("engine/sandbox/task-process.ts");
});

test("an excerpt of a video loads nothing that draws", () => {
  expect(loadedWith("engine/mp4/excerpt.ts")).not.toContain("@napi-rs/canvas");
  const imports = sources.get("engine/sandboxed/tasks.ts")!.matchAll(/^import (?!type\b).* from "([^"]+)"/gm);
  expect([...imports].map(([, name]) => name)).toEqual(["node:fs/promises"]);
});
