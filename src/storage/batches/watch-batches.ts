import { type Batch, type BatchStore, hasEnded } from "../../domain/batches/batch.ts";
import type { BatchState, BatchStates } from "../../domain/batches/states.ts";
import type { LedgerStore } from "../../domain/ledger/ledger.ts";
import type { Changes } from "../../domain/shared/changes.ts";
import { watchedStates } from "../changes/states.ts";

type Stores = {
  readonly batches: Pick<BatchStore, "find" | "counts">;
  readonly ledger: Pick<LedgerStore, "spendOf">;
};

export const batchStates = ({ batches, ledger }: Stores, changes: Changes): BatchStates =>
  watchedStates<Pick<Batch, "id" | "projectId">, BatchState>(
    {
      async find({ projectId, id }) {
        const batch = await batches.find(projectId, id);
        if (!batch) return undefined;
        const [counts, spend] = await Promise.all([batches.counts([id]), ledger.spendOf("batch", [id])]);
        return { ...batch, counts: counts.get(id), spend: spend.get(id) };
      },
      hasEnded,
    },
    changes,
  );
