import type { Client } from "pg";
import { elapses, probe, type ServerTimings } from "./probe.ts";

type Subscription = {
  readonly openClient: () => Client;
  readonly channel: string;
  readonly onMessage: (message: string) => void;
  /** Called when notifications arrive again after a time in which they were lost. */
  readonly onResumed: () => void;
  readonly timings: ServerTimings;
  /** Ends the subscription. */
  readonly signal: AbortSignal;
};

/**
 * Resolves once the channel's notifications arrive, or rejects. From then on, a connection that ends or stays silent is
 * replaced; notifications of the time between are lost, and `onResumed` is called after it.
 */
export async function listenOnServer(subscription: Subscription): Promise<void> {
  void keepListening(await subscribe(subscription), subscription);
}

async function keepListening(first: Client, subscription: Subscription): Promise<void> {
  const { timings, signal } = subscription;
  let client: Client | undefined = first;
  while (!signal.aborted) {
    if (client) await untilLost(client, subscription);
    else await elapses(timings.probeEveryMs, signal);
    client = signal.aborted ? undefined : await subscribe(subscription).catch(() => undefined);
    if (client) subscription.onResumed();
  }
}

async function subscribe({ openClient, channel, onMessage }: Subscription): Promise<Client> {
  const client = openClient();
  // an error event without a listener ends the process
  client.on("error", () => {});
  client.on("notification", ({ payload = "" }) => onMessage(payload));
  try {
    await client.connect();
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    return client;
  } catch (error) {
    void client.end();
    throw error;
  }
}

/** Resolves when the connection has ended or does not answer a probe, or when `signal` aborts; closes it. */
async function untilLost(client: Client, { timings, signal }: Subscription): Promise<void> {
  const ended = new AbortController();
  client.once("end", () => ended.abort());
  const stop = AbortSignal.any([signal, ended.signal]);
  try {
    while (await elapses(timings.probeEveryMs, stop)) await probe(client, timings);
  } catch {
    // the connection is replaced
  } finally {
    void client.end();
  }
}
