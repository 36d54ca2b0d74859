import type { Client } from "pg";
import { onceSuccessful } from "../../platform/async.ts";
import { elapses, probe, type ServerTimings } from "./probe.ts";

/**
 * Subscribes to a NOTIFY channel until the database closes; messages of all processes arrive. A channel has one
 * subscriber. `onMissed` is called when messages may have been lost, and after each failed attempt to reconnect.
 */
export type Listen = (channel: string, onMessage: (message: string) => void, onMissed?: () => void) => Promise<void>;

type ListenerOptions = {
  readonly openClient: () => Client;
  readonly timings: ServerTimings;
  /** Ends all subscriptions. */
  readonly signal: AbortSignal;
};

type Subscriber = { readonly onMessage: (message: string) => void; readonly onMissed: () => void };

/** Listens over one connection, opened by the first subscription. A closed or silent connection is replaced. */
export function serverListener({ openClient, timings, signal }: ListenerOptions): Listen {
  const subscribers = new Map<string, Subscriber>();
  let connected: Client | undefined;

  const connect = async (): Promise<Client> => {
    const client = openClient();
    // an error event without a listener ends the process
    client.on("error", () => {});
    client.on("notification", ({ channel, payload = "" }) => subscribers.get(channel)?.onMessage(payload));
    try {
      await client.connect();
      for (const channel of subscribers.keys()) await listenTo(client, channel);
      return client;
    } catch (error) {
      void client.end();
      throw error;
    }
  };

  const keepConnected = async (): Promise<void> => {
    while (!signal.aborted) {
      if (connected) await untilLost(connected, timings, signal);
      else await elapses(timings.probeEveryMs, signal);
      connected = signal.aborted ? undefined : await connect().catch(() => undefined);
      for (const { onMissed } of subscribers.values()) onMissed();
    }
  };

  const open = onceSuccessful(async () => {
    connected = await connect();
    void keepConnected();
  });

  return async (channel, onMessage, onMissed = () => {}) => {
    subscribers.set(channel, { onMessage, onMissed });
    await open();
    if (!connected) throw new Error("The connection for notifications is lost.");
    await listenTo(connected, channel);
  };
}

/** Does nothing if the client listens already. */
const listenTo = (client: Client, channel: string) => client.query(`listen ${client.escapeIdentifier(channel)}`);

/** Resolves when the connection has ended, does not answer a probe, or `signal` aborts; closes it. */
async function untilLost(client: Client, timings: ServerTimings, signal: AbortSignal): Promise<void> {
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
