import { type Asset, newId } from "../api.ts";
import { uploadAsset } from "../parts/uploads.ts";
import { itemsIn, memberKey } from "../strip/items.ts";
import { type Bench, chooseItems, draftOfBench, playhead } from "./bench.ts";
import { newRange, type Overlay } from "./draft.ts";
import { type OverlayKind, putOverlay } from "./overlays.ts";

export const layerFiles = ".html,.htm,.json,.lottie,image/*,video/*";

const shownSeconds = 3;
const isPage = ({ name }: File) => /\.html?$/i.test(name);
const isLottie = ({ name }: File) => /\.(json|lottie)$/i.test(name);

/** The body and the styles of an HTML file, as a layer takes them. */
export function cardOf(page: string): { readonly html: string; readonly css: string } {
  const styles = [...page.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/gi)].map(([, css = ""]) => css.trim());
  const [, body = page] = /<body[^>]*>([\s\S]*?)<\/body>/i.exec(page) ?? [];
  const html = body.replaceAll(/<style[^>]*>[\s\S]*?<\/style>|<!doctype[^>]*>/gi, "").trim();
  return { html, css: styles.join("\n") };
}

/** The overlay of an uploaded file, a third of the frame wide; of a Lottie file, as large as fits. */
function overlayOf(file: File, asset: Asset, frame: { readonly width: number; readonly height: number }) {
  const { id: assetId, width: across = 1, height: down = 1 } = asset;
  const part = isLottie(file) || asset.type === "video" ? 0.6 : 1 / 3;
  const width = Math.round(Math.min(frame.width, frame.height) * part);
  const size = { assetId, width, height: Math.max(1, Math.round(width * (down / across))) };
  if (isLottie(file)) return { kind: "layer", overlay: { type: "lottie", repeat: true, ...size } } as const;
  if (asset.type === "video") return { kind: "layer", overlay: { type: "video", ...size } } as const;
  return { kind: "image", overlay: size } as const;
}

/** Lays files over the film at the playhead: cards of HTML, Lottie files, pictures and clips. Throws what uploads throw. */
export async function addFiles(bench: Bench, files: readonly File[]): Promise<void> {
  const { session, ids } = bench;
  const frame = draftOfBench(bench).editor.exportSettings;
  for (const file of files) {
    const added: { readonly kind: OverlayKind; readonly overlay: Overlay } = isPage(file)
      ? // without a size, a card fills the frame
        { kind: "layer", overlay: { type: "html", ...cardOf(await file.text()) } }
      : overlayOf(file, await uploadAsset(ids.projectId, file), frame);
    const name = { kind: added.kind, id: `${file.name.replace(/\.\w+$/, "").slice(0, 60)}-${newId()}-s` };
    const range = newRange(draftOfBench(bench), playhead(bench), shownSeconds);
    session.change((draft) => putOverlay(draft, name, { ...added.overlay, centerX: 0, centerY: 0 }, range));
    chooseItems(
      bench,
      itemsIn(bench.lanes.value).filter(({ key }) => key === memberKey(name)),
    );
  }
}
