import type { Probed } from "./launch.ts";

/** The layers that hold on this machine. `canLaunch` is false where `launch.ts` cannot run: there is none then. */
export type Layers = Probed & { readonly canLaunch: boolean };

/** The limits that a machine may refuse, by the names of `launch.ts`. */
const limitNames = ["memory", "CPU time", "file size", "open files", "core dumps"];

/** The names of the layers, outermost first. */
export function layerNames({ landlock, hasFilter, endsWithServer, limits, hasLowPriority }: Layers) {
  const unlimited = limitNames.filter((name) => !limits.includes(name));
  const layers: readonly (readonly [name: string, holds: boolean, detail?: string])[] = [
    ["killed with the server", endsWithServer],
    ["files", landlock > 0, `Landlock ${landlock}`],
    ["system calls", hasFilter, "seccomp"],
    ["resource limits", limits.length > 0],
    ["low priority", hasLowPriority],
  ];
  const inForce = layers.filter(([, holds]) => holds);
  const partial = limits.length > 0 ? unlimited.map((name) => `limit of ${name}`) : [];
  return {
    inForce: inForce.map(([name, , detail]) => (detail ? `${name} (${detail})` : name)),
    missing: [...layers.filter(([, holds]) => !holds).map(([name]) => name), ...partial],
  };
}

/** What a program that was taken over can do to the rest of the machine, by the layers in force. */
const closedBy: Readonly<Record<string, (layers: Layers) => boolean>> = {
  "other files": ({ landlock }) => landlock >= 1,
  "the server's environment and memory": ({ landlock }) => landlock >= 1,
  truncate: ({ landlock, hasFilter }) => hasFilter || landlock >= 3,
  TCP: ({ landlock, hasFilter }) => hasFilter || landlock >= 4,
  UDP: ({ hasFilter }) => hasFilter,
  "abstract sockets": ({ landlock, hasFilter }) => hasFilter || landlock >= 6,
  signals: ({ landlock, hasFilter }) => hasFilter || landlock >= 6,
  "Unix sockets": ({ hasFilter }) => hasFilter,
  chmod: ({ hasFilter }) => hasFilter,
  // of the system calls that take paths, only an own root would close it
  stat: () => false,
};

/** What they leave open. */
export const openRights = (layers: Layers): readonly string[] =>
  Object.entries(closedBy).flatMap(([name, isClosed]) => (isClosed(layers) ? [] : [name]));
