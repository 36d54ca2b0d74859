import { toThousandths } from "../../../platform/values.ts";
import type { Caller } from "../../accounts/caller.ts";
import { type AssetPorts, addAsset } from "../../assets/assets.ts";
import { type AddGeneratedMediaPorts, addGeneratedMedia } from "../../files/generated-media.ts";
import { inspectFile } from "../../files/inspect-file.ts";
import { makeAndStore } from "../generation/generation.ts";
import type { MusicModel, MusicTask } from "../models.ts";
import type { ProviderCall } from "../provider-calls.ts";

/** A sound that is stored as an asset, or one with a URL of its own for a day. */
type GeneratedMusic = { readonly duration: number } & (
  | { readonly audioUrl: string; readonly assetId?: undefined }
  | { readonly assetId: string }
);

type Request = {
  readonly caller: Caller;
  readonly task: MusicTask;
  /** The project that stores the sound as an asset. */
  readonly projectId?: string | undefined;
};

const maxNameLength = 80;

/** Makes music or a sound effect. With checkpoints it is paid once. */
export const generateMusic = (
  ports: AddGeneratedMediaPorts & AssetPorts,
  context: { readonly call: ProviderCall; readonly model: MusicModel },
  { caller, task, projectId }: Request,
): Promise<GeneratedMusic> =>
  makeAndStore<GeneratedMusic>(
    ports,
    context,
    "music",
    () => context.model.compose(task, context.call),
    async (received) => {
      const options = { owner: caller.user.id };
      const { durationSeconds = 0 } = await inspectFile(ports.inspector, received.path, "audio", options);
      const duration = toThousandths(durationSeconds);
      const { id: generatedBy } = context.model;
      const made = { received, ...(generatedBy && { generatedBy }) };
      if (projectId === undefined) {
        return { audioUrl: await addGeneratedMedia(ports, caller.user, received, "audio", generatedBy), duration };
      }
      const name = task.prompt.trim().slice(0, maxNameLength);
      const { id: assetId } = await addAsset(ports, { projectId, ...made, filename: "", name }, options);
      return { assetId, duration };
    },
  );
