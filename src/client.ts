/** The client as a module of this repository; `bun run build:client` packages it. */
export type { Api } from "../client/src/api.ts";
export * from "../client/src/index.ts";
