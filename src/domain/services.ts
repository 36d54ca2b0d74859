import type { AccessTokens } from "./access-tokens.ts";
import type { AssetStore } from "./assets.ts";
import type { ExportFeed, ExportStore } from "./export-jobs.ts";
import type { Fetcher } from "./fetching.ts";
import type { FileStore, Inspector } from "./files.ts";
import type { FilmReader } from "./film-reading.ts";
import type { FrameDrawer } from "./frame-drawing.ts";
import type { GeneratedMediaStore } from "./generated-media.ts";
import type { AnswerStore } from "./kept-answers.ts";
import type { MediaLinks } from "./media-links.ts";
import type { Models } from "./models.ts";
import type { Passwords } from "./passwords.ts";
import type { ProjectStore } from "./projects.ts";
import type { UsageStore } from "./provider-calls.ts";
import type { RateLimiter } from "./rate-limits.ts";
import type { Renderer } from "./rendering.ts";
import type { SecretBox } from "./sealed-secrets.ts";
import type { RefreshTokenStore } from "./sessions.ts";
import type { TemplateStore } from "./templates.ts";
import type { TextMeasurer } from "./text-measuring.ts";
import type { ApiTokenStore } from "./tokens.ts";
import type { UserStore } from "./users.ts";
import type { PageReader } from "./web-pages.ts";
import type { WebhookStore } from "./webhooks.ts";
import type { WorkMediaStore, WorkStore } from "./works.ts";

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
  readonly frameDrawer: FrameDrawer;
  readonly textMeasurer: TextMeasurer;
  readonly exports: ExportStore;
  readonly exportFeed: ExportFeed;
  readonly webhooks: WebhookStore;
  readonly secretBox: SecretBox;
  readonly filmReader: FilmReader;
  readonly models: Models;
  readonly usage: UsageStore;
  readonly generatedMedia: GeneratedMediaStore;
  readonly mediaLinks: MediaLinks;
  readonly keptAnswers: AnswerStore;
  /** Resolves while the database answers; throws unavailable. */
  readonly database: { ping(): Promise<void> };
  readonly settings: Settings;
};
