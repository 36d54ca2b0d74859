import { afterEach } from "bun:test";
import { takeUndeclared } from "./declared-responses.ts";

/** Loaded before every test: fails a test if a test service gave a response that the OpenAPI document does not declare. */
afterEach(() => {
  const undeclared = takeUndeclared();
  if (undeclared.length > 0) throw new Error(`The document does not declare:\n${undeclared.join("\n")}`);
});
