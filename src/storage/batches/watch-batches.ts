import { type Batch, type BatchStore, hasEnded } from "../../domain/batches/batch.ts";
import type { BatchState, BatchStates } from "../../domain/batches/states.ts";
import type { Changes } from "../../domain/shared/changes.ts";
import { watchedStates } from "../changes/states.ts";

export const batchStates = (batches: Pick<BatchStore, "find" | "counts">, changes: Changes): BatchStates =>
  watchedStates<Pick<Batch, "id" | "projectId">, BatchState>(
    {
      async find({ projectId, id }) {
        const batch = await batches.find(projectId, id);
        return batch && { ...batch, counts: (await batches.counts([id])).get(id) };
      },
      hasEnded,
    },
    changes,
  );
