import type { ExportStore } from "../../../src/domain/exports/lifecycle/jobs.ts";
import { DomainError } from "../../../src/errors.ts";

/** Calls of the export store that fail as they do when the database does not respond, by method. */
export const silences = new Map<keyof ExportStore, number>();

export function silent(exports: ExportStore): ExportStore {
  const call = (name: keyof ExportStore) => {
    const remaining = silences.get(name) ?? 0;
    silences.set(name, remaining - 1);
    if (remaining > 0) throw new DomainError("unavailable", {});
  };
  return {
    ...exports,
    findState: async (...args) => {
      call("findState");
      return await exports.findState(...args);
    },
    acquire: async (...args) => {
      call("acquire");
      return await exports.acquire(...args);
    },
    recordLayout: async (...args) => {
      call("recordLayout");
      return await exports.recordLayout(...args);
    },
    end: async (...args) => {
      call("end");
      return await exports.end(...args);
    },
  };
}
