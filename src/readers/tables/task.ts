import { z } from "zod";
import type { TableType } from "../../domain/batches/rows.ts";
import { addedTask } from "../../engine/sandbox/contract.ts";

type ReadTable = {
  readonly path: string;
  readonly output: string;
  readonly type?: TableType;
  readonly maxRows: number;
  readonly maxColumns: number;
  readonly maxCellCharacters: number;
};

/** See `readTable`. */
export const readTableTask = addedTask<ReadTable>()("readTable", z.null());
