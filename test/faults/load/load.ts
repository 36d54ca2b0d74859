import type { Cluster } from "../cluster/cluster.ts";
import { retryingClient } from "./client.ts";
import { type Ledger, newLedger } from "./ledger.ts";
import { startProvider } from "./provider.ts";
import { between, oneOf, type Random, randomNumbers } from "./random.ts";
import { startReceiver } from "./receiver.ts";
import * as actions from "./user.ts";

type Action = (actor: actions.Actor) => Promise<unknown>;

/** How often each action is chosen. */
const weights: readonly (readonly [Action, number])[] = [
  [actions.uploadAsset, 4],
  [actions.readFile, 4],
  [actions.renameProject, 3],
  [(actor) => actions.exportFilm(actor), 3],
  [actions.exportAndWait, 1],
  [actions.generateImage, 3],
  [actions.writeScenario, 2],
  [actions.generateScene, 1],
  [actions.removeAsset, 2],
  [actions.removeExport, 1],
];

const choices = weights.flatMap(([action, weight]) => Array.from({ length: weight }, () => action));

type LoadSettings = {
  readonly seed: number;
  readonly users: number;
  /** Between two actions of a user. */
  readonly pauseMs: number;
};

/** The services that the load needs beside the cluster; their addresses are settings of the processes. */
export async function startPeers(firstPort: number) {
  const receiver = startReceiver(firstPort + 6);
  const provider = await startProvider(firstPort + 7);
  const settings = { FETCH_EXTRA_PORTS: `${firstPort + 6}`, OPENAI_BASE_URL: provider.url };
  return { receiver, provider, settings };
}

export type Peers = Awaited<ReturnType<typeof startPeers>>;

/** Users who do everything at once, through the front, until `stop`. */
export async function startLoad({ front }: Pick<Cluster, "front">, peers: Peers, settings: LoadSettings) {
  const ledger = newLedger();
  let isStopped = false;
  let isAbandoned = false;
  const send = retryingClient(front.url, ledger.attempts, () => isAbandoned);
  const clipSeconds = 4;
  const clip = await encodeClip(clipSeconds);
  const { url: webhookUrl } = peers.receiver;

  /** For the report of actions that do not end. */
  const doing = new Map<actions.Actor, { readonly name: string; readonly since: number }>();
  const act = async (random: Random, actor: actions.Actor) => {
    while (!isStopped) {
      const action = oneOf(random, choices);
      doing.set(actor, { name: `${action}`.match(/\w+ ?\(/g)?.[0] ?? "", since: Date.now() });
      await action(actor);
      doing.delete(actor);
      await Bun.sleep(between(random, 0, 2 * settings.pauseMs));
    }
  };
  const users = Array.from({ length: settings.users }, async (_, index) => {
    const random = randomNumbers(settings.seed * 1000 + index);
    const actor = await actions.newActor({ send, ledger, random, webhookUrl, clip, clipSeconds });
    return { random, actor };
  });
  const actors = await Promise.all(users);
  const running = Promise.all(actors.map(({ random, actor }) => act(random, actor)));
  running.catch((error) => ledger.violations.push(`the load failed: ${error}`));
  return {
    ledger,
    actors: actors.map(({ actor }) => actor),
    /** Lets each action end; gives up those that do not. */
    async stop(timeoutMs: number) {
      isStopped = true;
      const ended = await Promise.race([running.then(() => true), Bun.sleep(timeoutMs).then(() => false)]);
      if (!ended) {
        const open = [...doing.values(), ...send.open].map(({ name, since }) => `${name} for ${Date.now() - since} ms`);
        ledger.violations.push(`did not end within ${timeoutMs} ms after the last fault: ${open.join(", ")}`);
      }
      isAbandoned = true;
    },
  };
}

export type Load = Awaited<ReturnType<typeof startLoad>>;

/** Small moving frames with a tone. */
async function encodeClip(seconds: number): Promise<Uint8Array> {
  const ffmpeg = process.env.FFMPEG_PATH ?? "ffmpeg";
  const video = ["-f", "lavfi", "-i", `testsrc=size=128x72:rate=25:duration=${seconds}`];
  const sound = ["-f", "lavfi", "-i", `sine=duration=${seconds}`];
  const output = ["-pix_fmt", "yuv420p", "-g", "12", "-movflags", "frag_keyframe+empty_moov", "-f", "mp4", "pipe:1"];
  return await new Response(
    Bun.spawn([ffmpeg, "-v", "error", ...video, ...sound, ...output], { stdout: "pipe" }).stdout,
  ).bytes();
}

/** Statuses of all attempts, for the report. */
export function countStatuses({ attempts }: Pick<Ledger, "attempts">): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status, isOfFront } of attempts) {
    const name = status === undefined ? "lost" : `${status}${isOfFront && status >= 500 ? " of the front" : ""}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
