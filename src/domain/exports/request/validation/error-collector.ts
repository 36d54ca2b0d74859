import { type DomainError, type ErrorCode, isDomainError, isTemporary } from "../../../../errors.ts";

/** An error with which the export would fail; `path` is a field of the request. */
export type ExportError = { readonly path: string; readonly code: ErrorCode; readonly message: string };

/** Bounds the response to a hostile body. */
const maxErrors = 1000;

/** Collects errors instead of throwing the first. */
export class ErrorCollector {
  readonly #errors: ExportError[] = [];

  get list(): readonly ExportError[] {
    return this.#errors.slice(0, maxErrors);
  }

  get isEmpty(): boolean {
    return this.#errors.length === 0;
  }

  /** `path` overrides the error's own path, unless the error consists of issues. */
  add(error: DomainError, path?: string): void {
    const { code, facts, message } = error;
    if ("issues" in facts) this.#errors.push(...facts.issues.map((issue) => ({ ...issue, code })));
    else this.#errors.push({ path: path ?? ("path" in facts ? facts.path : ""), code, message });
  }

  /** The result of `find`; undefined after an error that the request caused. Rethrows other errors. */
  async capture<T>(find: () => T | Promise<T>, path?: string): Promise<T | undefined> {
    try {
      return await find();
    } catch (error) {
      if (!isDomainError(error) || isTemporary(error)) throw error;
      this.add(error, path);
      return undefined;
    }
  }
}
