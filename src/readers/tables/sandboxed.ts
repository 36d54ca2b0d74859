import type { InputOf } from "../../engine/sandbox/contract.ts";
import type { readTableTask } from "./reader.ts";

export const tableTasks = {
  readTable: async (input: InputOf<typeof readTableTask>) => (await import("./read-table.ts")).readTable(input),
};
