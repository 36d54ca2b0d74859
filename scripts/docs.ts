import { join } from "node:path";
import { createApp } from "../src/app.ts";
import type { Services } from "../src/domain/services.ts";
import { noTelemetry } from "../src/domain/telemetry/telemetry.ts";
import { buildDocument, published } from "../src/http/document/build.ts";
import { errorPage } from "../src/http/document/error-page/page.ts";
import { toLlmsText } from "../src/http/document/llms.ts";
import { toMarkdown } from "../src/http/document/markdown.ts";
import { toolTable } from "../src/http/mcp/table.ts";
import { prepareTools } from "../src/http/mcp/toolset.ts";

/** Writes the pages that are made from the OpenAPI document and the table of errors, and the table of tools. */

// safe because no request is sent: the route table alone is read
const document = published(await buildDocument(createApp({ telemetry: noTelemetry } as Services)));
const docs = join(import.meta.dir, "../docs");
const mcp = (await Bun.file(join(docs, "mcp.md")).text()).replace(/\| Tool \|.*(?:\n\|.*)*/, () =>
  toolTable(prepareTools(document)),
);
const pages = {
  "api.md": toMarkdown(document),
  "errors.md": errorPage(),
  "llms.txt": toLlmsText(document),
  "mcp.md": mcp,
};

for (const [name, text] of Object.entries(pages)) {
  await Bun.write(join(docs, name), text);
  console.log(`docs/${name}: ${text.length} characters`);
}
