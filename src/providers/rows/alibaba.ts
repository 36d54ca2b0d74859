import type { ModelCredentials } from "../client/credentials.ts";
import type { ModelPorts, ProviderRow } from "../client/rows.ts";
import { secondsFrom } from "../client/shapes.ts";
import { sdkVideo } from "../sdk/video.ts";

const videoModels = [
  {
    id: "wan3.0-video",
    name: "Wan 3.0",
    durations: secondsFrom(2, 30),
    ratios: ["16:9", "9:16", "1:1", "4:3", "3:4"],
    unit: "second",
  },
] as const;

const alibabaVideo = (credentials: ModelCredentials, ports: ModelPorts) =>
  sdkVideo({
    credentials,
    ports,
    models: videoModels,
    keyHeaders: { authorization: `Bearer ${credentials.apiKey}` },
    async load(fetch) {
      const { createAlibaba } = await import("@ai-sdk/alibaba");
      const { apiKey, baseUrl: videoBaseURL, modelId } = credentials;
      return createAlibaba({ apiKey, videoBaseURL, fetch }).video(modelId);
    },
    // only a queued task can be cancelled
    cancellation: (operation) => ({
      method: "POST",
      url: `${credentials.baseUrl}/api/v1/tasks/${encodeURIComponent((operation as { taskId: string }).taskId)}/cancel`,
    }),
    requestOf: ({ resolution: { width, height } }) => ({
      resolution: Math.min(width, height) <= 720 ? "1280x720" : "1920x1080",
    }),
  });

export const alibaba: ProviderRow = {
  id: "alibaba",
  name: "Alibaba Cloud",
  api: { setting: "ALIBABA", baseUrl: "https://dashscope-intl.aliyuncs.com" },
  video: {
    models: videoModels,
    create: alibabaVideo,
    description: "Animates an image with Wan. Needs your Model Studio key of Alibaba Cloud.",
  },
};
