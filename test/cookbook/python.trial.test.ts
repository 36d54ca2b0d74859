import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { filmIn, recipeService } from "../support/cookbook.ts";

const { run, close } = await recipeService();
const { folder, url, token } = run;
afterAll(close);

test("orders, follows and downloads a film with Python's standard library", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../docs/cookbook/python.md")).text();
  const [program, ...others] = [...page.matchAll(/^```python\n([\s\S]*?)^```/gm)].map(([, block]) => block!);
  expect(others).toEqual([]);
  const smaller = program!.replace("1080", "64").replace("1920", "112").replace('"fps": 30', '"fps": 10');
  await Bun.write(join(folder, "film.py"), smaller.replace('"fontSize": 84', '"fontSize": 8'));
  const child = Bun.spawn(["python3", "film.py"], {
    cwd: folder,
    env: { ...process.env, REELWRIGHT_URL: url, REELWRIGHT_TOKEN: token },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect([exitCode, output.trim(), errors]).toEqual([0, "film.mp4", ""]);
  expect(await filmIn(folder, "film.mp4")).toMatchObject({ width: 64, height: 112, durationSeconds: 3 });
});
