import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Adds an example to each operation of the API document that has none, from what the facts of `test/http` send and
 * receive: the shortest answer of an operation whose lists are not empty, with two items of each. A test holds that every
 * example matches its schema.
 */
const root = join(import.meta.dir, "..");
const path = join(root, "src/http/document/examples.json");

type Recorded = { readonly operation: string; readonly request?: unknown; readonly response: unknown };
type Example = Omit<Recorded, "operation">;

const folder = await mkdtemp(join(tmpdir(), "reelwright-examples-"));
const facts = ["--path-ignore-patterns=**/*.trial.test.ts", "test/http"];
const run = Bun.spawn([process.execPath, "test", "--parallel=3", "--no-isolate", "--timeout", "300000", ...facts], {
  cwd: root,
  env: { ...process.env, RECORD_EXAMPLES: folder },
  stdout: "ignore",
  stderr: "ignore",
});
await run.exited;

const recorded: Recorded[] = [];
for (const name of await readdir(folder)) {
  const lines = (await Bun.file(join(folder, name)).text()).trim().split("\n");
  recorded.push(...lines.map((line) => JSON.parse(line) as Recorded));
}
await rm(folder, { recursive: true });

const sizeOf = ({ request, response }: Example) => JSON.stringify({ request, response }).length;

/** An empty list says little of its items. */
const emptyLists = ({ response }: Example) => JSON.stringify(response).split("[]").length;

const moment = 1_795_374_986_360;
const maxItems = 2;

/** More would be no example but a document. */
const maxCharacters = 6_000;

/** With the same ids and times wherever it was recorded, and without secrets. */
function plain(example: Example): Example {
  const ids = new Map<string, string>();
  const plainId = (id: string, prefix: string) => {
    const known = ids.get(id) ?? `${prefix}_01a204b03478709c81e91d87a295${(0x8b95 + ids.size).toString(16)}`;
    ids.set(id, known);
    return known;
  };
  const text = JSON.stringify(example, (key, value: unknown) => {
    if (Array.isArray(value)) return value.slice(0, maxItems);
    if (typeof value === "number" && value > 1.7e12 && value < 2e12) return moment;
    if (typeof value === "string" && /secret|token/i.test(key) && value.length > 20) return "secret-of-this-resource";
    return value;
  });
  return JSON.parse(
    text
      .replace(/\b([a-z]+)_[0-9a-f]{32}\b/g, plainId)
      .replace(/token=[\w.~%-]+/g, "token=secret-of-this-link")
      .replace(/https?:\/\/(?:localhost|127\.0\.0\.1)(?::\d+)?/g, "https://reels.example"),
  );
}

const known: { readonly [operation: string]: Example } = await Bun.file(path).json();
const all = { ...known };
for (const [operation, found] of Map.groupBy(recorded, (each) => each.operation)) {
  const [best] = found.toSorted((a, b) => emptyLists(a) - emptyLists(b) || sizeOf(a) - sizeOf(b));
  if (!best || operation in known) continue;
  const { request, response } = best;
  const example = plain({ ...(request !== undefined && { request }), response });
  if (JSON.stringify(example).length <= maxCharacters) all[operation] = example;
}
const lines = Object.entries(all).map(
  ([operation, example]) => `  ${JSON.stringify(operation)}: ${JSON.stringify(example)}`,
);
await Bun.write(path, `{\n${lines.join(",\n")}\n}\n`);
