import { decodePage } from "./charset.ts";
import { parsePage } from "./parse.ts";

/** A program of its own: markup can be made to keep any parser busy for hours. */
if (import.meta.main) {
  // safe because the service itself starts this, with a path
  const markup = await decodePage(await Bun.file(process.argv[2]!).bytes());
  await Bun.write(Bun.stdout, JSON.stringify(markup === undefined ? null : parsePage(markup)));
}
