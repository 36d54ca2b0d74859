import type { Models } from "./ai/models.ts";
import type { UsageStore } from "./ai/provider-calls.ts";
import type { PageReader } from "./ai/style-guide/web-pages.ts";
import type { VideoAnalyzer } from "./ai/video-metrics.ts";
import type { AssetStore } from "./assets/assets.ts";
import type { AccessTokens } from "./auth/access-tokens.ts";
import type { ApiTokenStore } from "./auth/api-tokens.ts";
import type { Passwords } from "./auth/passwords.ts";
import type { RateLimiter } from "./auth/rate-limit.ts";
import type { RefreshTokenStore } from "./auth/sessions.ts";
import type { UserStore } from "./auth/users.ts";
import type { FrameRenderer } from "./exports/frames.ts";
import type { ExportFeed, ExportStore } from "./exports/jobs.ts";
import type { Renderer } from "./exports/renderer.ts";
import type { TextMeasurer } from "./exports/validation/text-measurer.ts";
import type { SecretBox } from "./exports/webhooks/sealed-secrets.ts";
import type { WebhookStore } from "./exports/webhooks/webhooks.ts";
import type { Fetcher } from "./files/fetcher.ts";
import type { FileStore, Inspector } from "./files/file-store.ts";
import type { GeneratedMediaStore } from "./files/generated-media.ts";
import type { SignedLinks } from "./files/signed-links.ts";
import type { IdempotencyStore } from "./idempotency/idempotency.ts";
import type { ProjectStore } from "./projects/projects.ts";
import type { TemplateStore } from "./templates/templates.ts";
import type { WorkMediaStore, WorkStore } from "./works/works.ts";

/** What the domain must know of how the service is set up. */
export type Settings = {
  /** Where callers reach the service, without a slash at the end. */
  readonly publicUrl: string;
  readonly maxUploadBytes: number;
  readonly refreshTokenTtlSeconds: number;
  /** Of all provider calls of one request together. */
  readonly providerTimeoutMs: number;
  /** So long a finished export can be fetched. */
  readonly exportKeepMs: number;
};

/** Every port of the domain. wiring.ts puts the adapters in. */
export type Services = {
  readonly users: UserStore;
  readonly passwords: Passwords;
  readonly accessTokens: AccessTokens;
  readonly refreshTokens: RefreshTokenStore;
  readonly apiTokens: ApiTokenStore;
  readonly rateLimiter: RateLimiter;
  readonly projects: ProjectStore;
  readonly assets: AssetStore;
  readonly templates: TemplateStore;
  readonly works: WorkStore;
  readonly workMedia: WorkMediaStore;
  readonly files: FileStore;
  readonly inspector: Inspector;
  readonly fetcher: Fetcher;
  readonly pages: PageReader;
  readonly renderer: Renderer;
  readonly frameRenderer: FrameRenderer;
  readonly textMeasurer: TextMeasurer;
  readonly exports: ExportStore;
  readonly exportFeed: ExportFeed;
  readonly webhooks: WebhookStore;
  readonly secretBox: SecretBox;
  readonly videoAnalyzer: VideoAnalyzer;
  readonly models: Models;
  readonly usage: UsageStore;
  readonly generatedMedia: GeneratedMediaStore;
  readonly signedLinks: SignedLinks;
  readonly idempotencyKeys: IdempotencyStore;
  /** Resolves while the database answers; throws unavailable. */
  readonly database: { ping(): Promise<void> };
  readonly settings: Settings;
};
