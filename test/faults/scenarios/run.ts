import { finalViolations } from "../checks/final.ts";
import { type Cluster, startCluster } from "../cluster/cluster.ts";
import { countStatuses, type Load, startLoad, startPeers } from "../load/load.ts";
import { randomNumbers } from "../load/random.ts";
import type { RunOptions } from "./options.ts";

export type Running = {
  readonly cluster: Cluster;
  readonly load: Load;
  readonly random: () => number;
  readonly options: RunOptions;
  readonly log: (message: string) => void;
};

/** Starts the cluster and its load, injects faults, ends the load and checks what was promised. */
export async function run(
  name: string,
  options: RunOptions,
  inject: (running: Running) => Promise<readonly string[]>,
): Promise<boolean> {
  const begunAt = performance.now();
  const log = (message: string) =>
    console.log(`${((performance.now() - begunAt) / 1000).toFixed(1).padStart(7)} s  ${message}`);
  const peers = await startPeers(options.firstPort);
  const cluster = await startCluster({ ...options, settings: peers.settings });
  log(`${name}: seed ${options.seed}, ${options.users} users, logs in ${cluster.folder}`);
  try {
    const load = await startLoad(cluster, peers, options);
    const random = randomNumbers(options.seed);
    const before = await cluster.services.usage();
    const found = [...(await inject({ cluster, load, random, options, log }))];
    log("faults have ended");
    await load.stop(120_000);
    found.push(...(await finalViolations({ cluster, peers, ledger: load.ledger })));
    report(load, log);
    log(`usage before ${JSON.stringify(before)}`);
    log(`usage after  ${JSON.stringify(await cluster.services.usage())}`);
    const errors = cluster.services.internalErrors();
    log(`errors in the logs: ${errors.length}`);
    for (const line of errors.slice(0, 10)) log(`  ${line.slice(0, 500)}`);
    log(`${name}: ${found.length === 0 ? "no violation" : `${found.length} violations`}`);
    for (const violation of found.slice(0, 60)) log(`  VIOLATION ${violation}`);
    return found.length === 0;
  } finally {
    await cluster.end();
    peers.receiver.end();
    peers.provider.end();
  }
}

function report({ ledger }: Load, log: Running["log"]): void {
  const { orders, operations, files, removed, exportKeys } = ledger;
  log(`attempts by status ${JSON.stringify(countStatuses(ledger))}`);
  const interrupted = operations.filter(({ states }) => /billed/.test(states.at(-1) ?? "")).length;
  const times = orders.map(({ acceptedAt, endedAt = Number.NaN }) => endedAt - acceptedAt).sort((a, b) => a - b);
  log(
    `${exportKeys.size} exports (${orders.length} with a webhook, slowest ${times.at(-1)} ms), ` +
      `${operations.length} operations (${interrupted} interrupted), ${files.size} files, ${removed.size} removed`,
  );
}
