import type { Context } from "hono";
import { requireStorage, type StoragePorts } from "../../domain/files/storage.ts";
import type { AppEnv } from "../app-env.ts";
import { described } from "../openapi.ts";
import { maxFormOverheadBytes } from "../request/upload.ts";

/**
 * Refuses a request that stores a file if the user has no room for it, before anything is paid, and before the body is
 * read if it stands before that. `replacedBytes` is the size of the file to be replaced.
 */
export const requireStorageRoom = (
  ports: StoragePorts,
  replacedBytes: (c: Context<AppEnv>) => Promise<number> = async () => 0,
) =>
  described({ errors: ["limit_reached"] }, async (c, next) => {
    const declaredBytes = Number(c.req.header("content-length") ?? 0) - maxFormOverheadBytes;
    const addedBytes = Math.max(1, declaredBytes || 0) - (await replacedBytes(c));
    await requireStorage(ports, c.var.caller.user.id, addedBytes);
    await next();
  });
