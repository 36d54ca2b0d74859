import { type DomainError, type ErrorCode, isDomainError } from "../../../errors.ts";

/** One thing that an export would fail of: where in its request, and the error's own code and sentence. */
export type Fault = { readonly path: string; readonly code: ErrorCode; readonly message: string };

/** A hostile body can hold more than anybody reads. */
const mostFaults = 1000;

/** Gathers what would each have ended an export. */
export class Faults {
  readonly #found: Fault[] = [];

  get list(): readonly Fault[] {
    return this.#found.slice(0, mostFaults);
  }

  get isEmpty(): boolean {
    return this.#found.length === 0;
  }

  /** `path` is where it lies, when that is better known than the error says. */
  add(error: DomainError, path?: string): void {
    const { code, facts, message } = error;
    if ("issues" in facts) this.#found.push(...facts.issues.map((issue) => ({ ...issue, code })));
    else this.#found.push({ path: path ?? ("path" in facts ? facts.path : ""), code, message });
  }

  /** What `find` answers, or undefined when it failed of the request. */
  async orNote<T>(find: () => T | Promise<T>, path?: string): Promise<T | undefined> {
    try {
      return await find();
    } catch (error) {
      // the request is not to blame for a database that is away
      if (!isDomainError(error) || error.code === "unavailable") throw error;
      this.add(error, path);
      return undefined;
    }
  }
}
