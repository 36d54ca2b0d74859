import { join } from "node:path";
import ts from "typescript-5.9";

/**
 * Makes TypeScript types from an OpenAPI document with openapi-typescript, as its users do. It needs the interface of
 * TypeScript 5, which the TypeScript of this project does not have: it gets another. `folder` is for temporary files.
 */
export async function openapiTypes(document: unknown, folder: string): Promise<string> {
  const build = await Bun.build({
    entrypoints: [Bun.resolveSync("openapi-typescript", import.meta.dir)],
    target: "bun",
    outdir: join(folder, "generator"),
    plugins: [{ name: "TypeScript 5", setup: (builder) => resolveTypeScript(builder) }],
  });
  const { default: generate, astToString } = await import(build.outputs[0]!.path);
  const types = await generate(document, {
    // a file is a Blob in a form
    transform: ({ format }: { readonly format?: string }) =>
      format === "binary" ? ts.factory.createTypeReferenceNode("Blob") : undefined,
  });
  return astToString(types);
}

function resolveTypeScript(builder: Bun.PluginBuilder): void {
  const namespace = "typescript-5";
  const path = Bun.resolveSync("typescript-5.9", import.meta.dir);
  builder.onResolve({ filter: /^typescript$/ }, () => ({ path: "typescript", namespace }));
  builder.onLoad({ filter: /.*/, namespace }, () => ({
    contents: `export { default } from ${JSON.stringify(path)};`,
    loader: "js",
  }));
}
