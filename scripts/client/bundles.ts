import { join } from "node:path";
import { type InputOptions, type OutputChunk, rolldown } from "rolldown";

const source = join(import.meta.dir, "../../client/src");

/** The oldest syntax that Node 20 and current browsers share. */
const target = "es2022";

/** The library: all but hono is inside. Returns the files that went into it. */
export const buildLibrary = (to: string): Promise<readonly string[]> =>
  build(to, { input: join(source, "index.ts"), platform: "neutral", external: /^hono(\/|$)/ });

/** The command line, which uses the library beside it. */
export const buildCommandLine = (to: string): Promise<readonly string[]> =>
  build(
    to,
    {
      input: join(source, "command-line/main.ts"),
      platform: "node",
      external: [join(source, "index.ts")],
    },
    { [join(source, "index.ts")]: "./index.js" },
  );

async function build(to: string, options: InputOptions, paths: Record<string, string> = {}) {
  const bundle = await rolldown({ ...options, transform: { target } });
  const { output } = await bundle.generate({ format: "es", paths, codeSplitting: false });
  await bundle.close();
  // safe because there is one entry and no splitting
  const [chunk] = output as unknown as [OutputChunk];
  await Bun.write(to, chunk.code);
  return chunk.moduleIds;
}
