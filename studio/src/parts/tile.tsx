import type { Asset } from "../api.ts";
import { listText, timeText } from "../words.ts";

type TileProps = { readonly asset: Asset; readonly onOpen: () => void; readonly disabled?: boolean };

/** The picture of a file with its name, as a button. */
export function Tile({ asset, onOpen, disabled }: TileProps) {
  return (
    <button type="button" onClick={onOpen} disabled={disabled}>
      <span class="tile" data-type={asset.type}>
        {asset.thumbnail ? (
          <img src={asset.thumbnail} alt="" loading="lazy" />
        ) : (
          <span aria-hidden="true">{asset.type === "font" ? "Aa" : "♪"}</span>
        )}
        {asset.duration !== undefined && <span class="badge">{timeText(asset.duration)}</span>}
      </span>
      <b dir="auto">{asset.name}</b>
      {asset.tags && asset.tags.length > 0 && (
        <span class="soft" dir="auto">
          {listText(asset.tags)}
        </span>
      )}
    </button>
  );
}
