import { join } from "node:path";
import { createApp } from "../src/app.ts";
import type { Services } from "../src/domain/services.ts";
import { noTelemetry } from "../src/domain/telemetry/telemetry.ts";
import { buildDocument, published } from "../src/http/document/build.ts";
import { errorPage } from "../src/http/document/error-page/page.ts";
import { toLlmsText } from "../src/http/document/llms.ts";
import { toMarkdown } from "../src/http/document/markdown.ts";

/** Writes the pages that are made from the OpenAPI document and the table of errors. */

// safe because no request is sent: the route table alone is read
const document = published(await buildDocument(createApp({ telemetry: noTelemetry } as Services)));
const pages = { "api.md": toMarkdown(document), "errors.md": errorPage(), "llms.txt": toLlmsText(document) };

for (const [name, text] of Object.entries(pages)) {
  const path = join(import.meta.dir, "../docs", name);
  await Bun.write(path, text);
  console.log(`docs/${name}: ${text.length} characters`);
}
