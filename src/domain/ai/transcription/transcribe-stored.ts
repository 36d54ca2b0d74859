import type { FileStore, SoundTools } from "../../../engine/ports.ts";
import { DomainError } from "../../../errors.ts";
import { isMissing } from "../../../platform/files.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { Asset, AssetStore } from "../../assets/assets.ts";
import { type FindSoundPorts, findSound, type SoundReference } from "../../media-sources/sound-sources.ts";
import { editAtRevision } from "../../shared/versioned.ts";
import { type Transcription, type TranscriptionContext, transcribe } from "./transcribe.ts";

type Ports = FindSoundPorts & {
  readonly files: FileStore;
  readonly soundTools: SoundTools;
  readonly assets: Pick<AssetStore, "find" | "change">;
};

type Request = { readonly caller: Caller; readonly reference: SoundReference; readonly language?: string };

/** Transcribes a stored file. The transcript of an asset is stored with it. */
export async function transcribeStored(
  ports: Ports,
  context: TranscriptionContext,
  { caller, reference, ...options }: Request,
): Promise<Transcription> {
  const { file, path, asset } = await findSound(ports, caller, reference);
  const { facts } = file;
  const transcription = await ports.files
    .withLocalFile(file, (local) => transcribe(ports, context, { file: { path: local, facts }, path, ...options }))
    .catch((error) => {
      throw isMissing(error) ? new DomainError("asset_missing", { path, what: "The file" }) : error;
    });
  const { text, language, words, timing } = transcription;
  const speech = { text, words, timing, ...(language !== undefined && { language }) };
  const edit = editAtRevision<Asset>(undefined, (found) => ({ ...found, speech }));
  // the asset may be deleted meanwhile; the transcript was still paid for
  if (asset) await ports.assets.change(asset.projectId, asset.id, edit);
  return transcription;
}
