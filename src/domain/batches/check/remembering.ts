import type { Asset } from "../../assets/assets.ts";
import type { CheckPorts } from "./checking.ts";

/** Reads the project, templates, the media of the work, and each asset, once for the whole table. */
export function remembering(ports: CheckPorts): CheckPorts {
  const media = new Map<string, ReturnType<CheckPorts["workMedia"]["list"]>>();
  const known = new Map<string, Asset | undefined>();
  const list: CheckPorts["workMedia"]["list"] = (workId) => {
    const found = media.get(workId) ?? ports.workMedia.list(workId);
    media.set(workId, found);
    return found;
  };
  return {
    ...ports,
    projects: { ...ports.projects, find: once(ports.projects.find) },
    templates: { ...ports.templates, find: once(ports.templates.find) },
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

/** Asks once for each pair of ids. */
function once<Found>(find: (of: string, id: string) => Promise<Found>): (of: string, id: string) => Promise<Found> {
  const found = new Map<string, Promise<Found>>();
  return (of, id) => {
    const name = `${of} ${id}`;
    const asked = found.get(name) ?? find(of, id);
    found.set(name, asked);
    return asked;
  };
}
