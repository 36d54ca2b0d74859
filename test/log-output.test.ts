import { expect, test } from "bun:test";
import { join } from "node:path";
import { linesOf } from "../src/media/ffmpeg/process.ts";

/** Logs each line of its input, and ends only when the input ends. */
const program = `
  import { openLog } from ${JSON.stringify(join(import.meta.dir, "../src/log-output.ts"))};
  const log = openLog("info");
  for await (const line of console) log.info(line);
`;

test("each line reaches stdout while the process goes on, also after a pause without lines", async () => {
  const child = Bun.spawn([process.execPath, "-e", program], { stdin: "pipe", stdout: "pipe" });
  const lines = linesOf(child.stdout);
  for (const msg of ["first", "second"]) {
    child.stdin.write(`${msg}\n`);
    await child.stdin.flush();
    const { value } = await lines.next();
    expect(JSON.parse(String(value))).toMatchObject({ level: 30, msg });
  }
  child.stdin.end();
  expect(await child.exited).toBe(0);
});
