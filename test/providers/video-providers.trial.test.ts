import { videoProviders } from "../support/models/video-providers.ts";
import { clients, videoCalls, videoContract } from "./video-contract.ts";

// those of the other ones are facts
videoContract(
  videoCalls(),
  videoProviders.filter((provider) => !clients.includes(provider)),
);
