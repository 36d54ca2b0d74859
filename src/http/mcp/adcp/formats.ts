import { targetCanvas } from "../../../domain/exports/request/targets.ts";
import { type AspectRatio, aspectRatios } from "../../../domain/shared/schemas.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import type { FormatId, FormatsRequest } from "./protocol.ts";

/** What the service makes for an AdCP buyer: a video of a target, or a picture of a film in the size of a banner. */
export type CreativeFormat = {
  readonly id: string;
  readonly name: string;
  readonly kind: "video" | "display";
  readonly canvas: Canvas;
  /** The film that it is taken from. */
  readonly target: AspectRatio;
  /** A buyer describes it in words alone. */
  readonly isGenerative: boolean;
};

const fullSize: Canvas = { width: 1080, height: 1920 };

/** The usual sizes of banners: the fixed ones of the IAB's list. */
const bannerSizes = ["300x250", "728x90", "320x50", "160x600", "300x600", "970x250"] as const;

const shape = ({ width, height }: Canvas) => Math.log(width / height);

/** The target whose shape is nearest. */
const nearestTarget = (canvas: Canvas): AspectRatio =>
  aspectRatios.reduce((best, target) =>
    distance(targetCanvas(target, fullSize), canvas) < distance(targetCanvas(best, fullSize), canvas) ? target : best,
  );

const distance = (a: Canvas, b: Canvas) => Math.abs(shape(a) - shape(b));

const videos = aspectRatios.map((target): CreativeFormat => {
  const id = `video_${target.replace(":", "x")}`;
  const canvas = targetCanvas(target, fullSize);
  return { id, name: `Video ${target}`, kind: "video", canvas, target, isGenerative: true };
});

const banners = bannerSizes.flatMap((size): readonly CreativeFormat[] => {
  const [width = 0, height = 0] = size.split("x").map(Number);
  const canvas = { width, height };
  const banner = { kind: "display" as const, canvas, target: nearestTarget(canvas) };
  return [
    { ...banner, id: `display_${size}`, name: `Banner ${size} from given parts`, isGenerative: false },
    { ...banner, id: `display_${size}_generative`, name: `Banner ${size} from a brief`, isGenerative: true },
  ];
});

export const creativeFormats: readonly CreativeFormat[] = [...videos, ...banners];

/** Buyers may name our formats by the address under which they know this agent, so only the id counts. */
export const findFormat = ({ id }: FormatId): CreativeFormat | undefined =>
  creativeFormats.find((format) => format.id === id);

/** The key of the asset that the service makes. */
export const outputAsset = { video: "video", display: "generated_image" } as const;

/** The parts that a buyer may give, by the names that the manifest uses. */
const inputs = ({ kind, isGenerative }: CreativeFormat) => [
  asset("brief", "text", "What the creative is about. The message of the request does the same."),
  asset("headline", "text", "Words that must be seen."),
  asset("image", "image", "A picture of the product.", !isGenerative),
  asset("click_url", "url", "Where a click leads. It is returned as it came."),
  asset(outputAsset[kind], kind === "video" ? "video" : "image", "What build_creative returns."),
];

const asset = (asset_id: string, asset_type: string, description: string, required = false) => ({
  ...{ item_type: "individual", asset_id, asset_type, asset_role: asset_id, required, description },
  ...(asset_type === "url" && { requirements: { role: "clickthrough" } }),
});

const formatView = (format: CreativeFormat, agent_url: string) => ({
  format_id: { agent_url, id: format.id },
  name: format.name,
  description:
    format.kind === "video"
      ? "An MP4 with sound, made from a brief. duration_ms of the format id sets its length: 3 to 180 seconds."
      : "A PNG of a composed scene with the words and the picture of the brief.",
  ...(format.kind === "video" && { accepts_parameters: ["duration"] }),
  renders: [{ role: "primary", dimensions: { ...format.canvas } }],
  assets: inputs(format),
});

/** The formats that a request asks for, a page at a time. */
export function listFormats(request: FormatsRequest, agentUrl: string) {
  const found = creativeFormats.filter((format) => matches(format, request));
  const { max_results: size = 50, cursor } = request.pagination ?? {};
  const after = cursor === undefined ? -1 : found.findIndex(({ id }) => id === cursor);
  const page = found.slice(after + 1, after + 1 + size);
  const hasMore = after + 1 + size < found.length;
  return {
    formats: page.map((format) => formatView(format, agentUrl)),
    pagination: {
      has_more: hasMore,
      // safe because a page with more after it is not empty
      ...(hasMore && { cursor: page.at(-1)!.id }),
      total_count: found.length,
    },
  };
}

function matches(format: CreativeFormat, request: FormatsRequest): boolean {
  const { kind, canvas, name } = format;
  const types = inputs(format).map(({ asset_type }) => asset_type);
  const { min_width = 0, min_height = 0, max_width = Number.MAX_VALUE, max_height = Number.MAX_VALUE } = request;
  return (
    (!request.type || request.type === kind) &&
    (!request.format_ids || request.format_ids.some(({ id }) => id === format.id)) &&
    (!request.asset_types || request.asset_types.some((type) => types.includes(type))) &&
    !request.is_responsive &&
    canvas.width >= min_width &&
    canvas.width <= max_width &&
    canvas.height >= min_height &&
    canvas.height <= max_height &&
    name.toLowerCase().includes((request.name_search ?? "").toLowerCase()) &&
    // formats promise nothing about these
    !request.wcag_level &&
    !request.disclosure_positions?.length &&
    !request.input_format_ids?.length &&
    !request.output_format_ids?.length
  );
}
