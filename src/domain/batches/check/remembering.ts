import { oncePer } from "../../../platform/async.ts";
import type { Asset } from "../../assets/assets.ts";
import type { CheckPorts } from "./checking.ts";

/** Reads the project, templates, the media of the work, and each asset, once for the whole table. */
export function remembering(ports: CheckPorts): CheckPorts {
  const known = new Map<string, Asset | undefined>();
  const list = oncePer((workId) => workId, ports.workMedia.list);
  return {
    ...ports,
    projects: { ...ports.projects, find: oncePer(idsOf, ports.projects.find) },
    templates: { ...ports.templates, find: oncePer(idsOf, ports.templates.find) },
    workMedia: {
      ...ports.workMedia,
      list,
      find: async (id, slot) => (await list(id)).find((each) => each.slot === slot),
    },
    assets: {
      ...ports.assets,
      async findMany(projectId, ids) {
        const unknown = ids.filter((id) => !known.has(id));
        if (unknown.length > 0) {
          const found = new Map((await ports.assets.findMany(projectId, unknown)).map((asset) => [asset.id, asset]));
          for (const id of unknown) known.set(id, found.get(id));
        }
        return ids.flatMap((id) => known.get(id) ?? []);
      },
    },
  };
}

const idsOf = (owner: string, id: string): string => `${owner} ${id}`;
