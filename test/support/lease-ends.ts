import { operationLease } from "../../src/domain/operations/operations.ts";
import type { Services } from "../../src/services.ts";
import type { JsonResponse } from "./json-client.ts";
import type { TestUser } from "./service.ts";

/** Tells when what holds a lease has ended: the services of a test get the `store`. */
export function leaseEnds() {
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const endOf = (name: string) => {
    const end = ends.get(name) ?? Promise.withResolvers<void>();
    ends.set(name, end);
    return end;
  };
  const store = ({ leases }: Pick<Services, "leases">): Pick<Services, "leases"> => ({
    leases: {
      ...leases,
      async release(lease) {
        await leases.release(lease);
        for (const name of lease.names) endOf(name).resolve();
      },
    },
  });
  /** Of the first attempt at a request with this key. */
  const ofKey = ({ user }: TestUser, key: string) => endOf(`idempotency/${user.id}/${key}`).promise;
  const ofScene = (workId: string, scene: number) => endOf(`scene/${workId}/${scene}`).promise;
  /** Reads the operation at this path once it has ended. */
  const operation = async (path: string, client: (method: string, path: string) => Promise<JsonResponse>) => {
    await endOf(operationLease(path.slice(path.lastIndexOf("/") + 1))).promise;
    return (await client("GET", path)).body;
  };
  return { store, ofKey, ofScene, operation };
}
