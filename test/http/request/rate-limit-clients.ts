import { jsonInit, type OwnService, password } from "../../support/service.ts";

/** Statuses of requests from any address. */
export const clientsOf = ({ app }: Pick<OwnService, "app">) => {
  const post = async (path: string, body: unknown, address: string, headers = {}) => {
    const requestIP = () => ({ address, port: 1, family: "IPv4" as const });
    return (await app.request(path, jsonInit("POST", body, headers), { requestIP })).status;
  };
  return {
    login: (email: string, secret: string, address: string, headers = {}) =>
      post("/api/auth/login", { email, password: secret }, address, headers),
    register: (email: string, address: string, headers = {}) =>
      post("/api/auth/register", { email, password, name: "Ann" }, address, headers),
  };
};

export const freshEmail = () => `${crypto.randomUUID()}@example.com`;

export const times = <T>(count: number, call: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => call(i));

export async function inSequence(count: number, call: (index: number) => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index++) statuses.push(await call(index));
  return statuses;
}

export const counted = (statuses: readonly number[]) =>
  Object.fromEntries([...Map.groupBy(statuses, (status) => status)].map(([status, all]) => [status, all.length]));
