import { decodePage, parsePage } from "./parse.ts";

/** The program of the sandboxed process: hostile markup can keep any parser busy. Prints a WebPage or null. */
// safe because page-reader.ts passes the path
const markup = await decodePage(await Bun.file(process.argv[2]!).bytes());
await Bun.write(Bun.stdout, JSON.stringify(markup === undefined ? null : parsePage(markup)));
