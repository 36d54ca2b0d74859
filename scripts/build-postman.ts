import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { namedOperations } from "../src/http/document/operations.ts";
import type { ApiDocument } from "../src/http/document/types.ts";
import { startService } from "./demo/service.ts";
import { postmanCollection } from "./postman/collection.ts";

/** Writes the API as a Postman collection, from the document of the service at `--url`, or of a temporary one. */
const { values } = parseArgs({
  options: { url: { type: "string" }, out: { type: "string", default: "reelwright.postman_collection.json" } },
});
const folder = await mkdtemp(join(tmpdir(), "reelwright-postman-"));
const service = values.url ? { url: values.url, stop: async () => {} } : await startService(join(folder, "data"));
try {
  const document = (await (await fetch(`${service.url}/api/openapi.json`)).json()) as ApiDocument;
  await Bun.write(values.out, `${JSON.stringify(postmanCollection(document), null, 2)}\n`);
  console.log(`${values.out}: ${namedOperations(document).length} requests`);
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}
