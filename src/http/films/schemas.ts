import { z } from "zod";
import { CaptionsRequest } from "../../domain/captions/schema.ts";
import { requiresGate } from "../../domain/destinations/accept.ts";
import { Destinations } from "../../domain/destinations/schema.ts";
import { WebhookRequest } from "../../domain/exports/webhooks/schema.ts";
import { type FilmTemplate, filmCategories } from "../../domain/films/film.ts";
import type { GivenKeys } from "../../domain/films/keys.ts";
import { FilmPalette } from "../../domain/films/look/palette.ts";
import type { FilmRequest } from "../../domain/films/order/order.ts";
import { stops } from "../../domain/films/plan.ts";
import { gateFields } from "../../domain/gate/schema.ts";
import { aspectRatios, LanguageTag, named, namedObject, optional } from "../../domain/shared/schemas.ts";
import { issuesOf, parseInput } from "../../domain/shared/validation.ts";
import { DomainError } from "../../errors.ts";
import { sum, withoutUndefined } from "../../platform/values.ts";
import { ModelHeader } from "../ai/model-headers.ts";
import { LimitAmount, LimitCurrency } from "../ledger/schemas.ts";
import { Id, Name, PlaceholderValues, Resolution, textUpTo, Url } from "../schemas/common.ts";
import { ScenarioScene } from "../works/schemas.ts";

const minFilmSeconds = 3;
const maxFilmSeconds = 180;
const maxFilmScenes = 40;

const FilmModel = namedObject("FilmModel", {
  provider: optional(z.string().max(100)).describe("As `GET /api/providers` names it; by default, the service's own."),
  model: optional(z.string().max(200)).describe("By default, the provider's first."),
});

const Chosen = z
  .union([FilmModel, z.literal(false)], { error: "Must be { provider, model }, or false." })
  .nullish()
  .transform((choice) => {
    if (!choice) return choice === false ? (false as const) : undefined;
    const { provider, model: modelId } = choice;
    return { ...(provider && { provider }), ...(modelId && { modelId }) };
  });

export const FilmModels = namedObject("FilmModels", {
  llm: Chosen,
  image: Chosen,
  video: Chosen,
  speech: Chosen,
  vision: Chosen,
  music: Chosen,
});

/** Keeps the models that are named. */
export function toModels(models: z.output<typeof FilmModels> | null | undefined): FilmRequest["models"] {
  const { llm, image, video, speech, vision, music } = models ?? {};
  const chosen = { llm: llm || undefined, image: image || undefined, video, speech };
  return withoutUndefined({ ...chosen, vision: vision || undefined, music: music || undefined });
}

const Brief = named(
  "FilmBrief",
  z
    .object({
      text: optional(textUpTo(20_000)).describe("What the film is about: the product, its facts, its audience."),
      url: optional(Url).describe("A public page about the product."),
      assetIds: optional(z.array(Id).max(20)).describe("Pictures and clips of the product, of the project."),
      reference: optional(namedObject("FilmReference", { assetId: Id })).describe(
        "A video of the project whose rhythm the film follows. It is analyzed as by `/api/analyze`.",
      ),
    })
    .refine(({ text, url, assetIds = [], reference }) => Boolean(text?.trim() || url || assetIds.length || reference), {
      message: "Must have a text, a url, assetIds or a reference.",
    }),
);

const Stops = z.array(z.enum(stops)).max(stops.length);

export const Budget = namedObject("FilmBudget", { limit: LimitAmount, currency: LimitCurrency });

const orFalse = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, z.literal(false)]).nullish();

/** A scene without a number gets its index in the list. */
const Scenario = z
  .array(ScenarioScene)
  .min(1)
  .max(maxFilmScenes)
  .transform((scenes) => scenes.map((scene, index) => ({ ...scene, scene_index: scene.scene_index ?? index })));

const secondsOf = (scenes: z.output<typeof Scenario>) => sum(scenes.map((scene) => scene.duration_seconds));

const OrderedScenario = Scenario.refine(
  (scenes) => secondsOf(scenes) >= minFilmSeconds && secondsOf(scenes) <= maxFilmSeconds,
  `Must last ${minFilmSeconds} to ${maxFilmSeconds} seconds together.`,
);

export const FilmOrderBody = namedObject("NewFilm", {
  brief: Brief,
  name: optional(Name),
  language: optional(LanguageTag).describe("The language of the words on screen and of the voice."),
  seconds: optional(z.number().min(minFilmSeconds).max(maxFilmSeconds)).describe("20 by default."),
  scenes: optional(z.int().min(1).max(maxFilmScenes)).describe("By default, as many as suit the duration."),
  scenario: optional(OrderedScenario).describe(
    "The scenes, written by the caller, such as those of an estimate with other words: no model writes others. They replace `seconds` and `scenes`.",
  ),
  targets: optional(
    z
      .array(z.enum(aspectRatios))
      .min(1)
      .max(4)
      .refine((names) => new Set(names).size === names.length, "Must name no target twice."),
  ).describe("One video for each aspect ratio; 9:16 by default."),
  resolution: optional(Resolution).describe("1080×1920 by default."),
  models: optional(FilmModels).describe(
    "By default, those of the service, and `local` where these need a key. `video: false` moves a camera over the pictures.",
  ),
  voice: orFalse(namedObject("FilmVoice", { voice: optional(z.string().max(200)), style: optional(textUpTo(2000)) })),
  captions: orFalse(CaptionsRequest).describe("By default, from the words of the scenario."),
  music: orFalse(
    named(
      "FilmMusic",
      z
        .object({
          assetId: optional(Id),
          audioUrl: optional(Url),
          bed: optional(z.string().max(60)).describe(
            "Music that the service composes, as long as the film: a name of GET /api/beds.",
          ),
          prompt: optional(textUpTo(2000)).describe("Music that `models.music` makes, as long as the film."),
          bpm: optional(z.number().min(30).max(300)).describe("Beats a minute; by default they are measured."),
        })
        .refine(({ assetId, audioUrl, bed, prompt }) => [assetId, audioUrl, bed, prompt].filter(Boolean).length === 1, {
          message: "Must have a bed, an assetId, an audioUrl or a prompt, and only one of them.",
        })
        .refine(({ bed, bpm }) => !bed || bpm === undefined, {
          path: ["bpm"],
          message: "Must not be sent with a bed, whose tempo is known.",
        }),
    ),
  ).describe("By default, the bed that fits the look and the brief; `false`: none."),
  effects: optional(z.boolean()).describe(
    "Effects on entrances, cuts and prices, as the look places them: by default with music, `true` also without it.",
  ),
  look: optional(z.string().max(60)).describe(
    "How the film is set and moves: a name of GET /api/looks. By default, the one that fits the brief.",
  ),
  palette: optional(FilmPalette).describe(
    "Its colors. By default, those of the brand, else one of the look's palettes.",
  ),
  snap: optional(z.union([z.enum(["beat"]), z.literal(false)])).describe(
    "Scenes end on the nearest beat of the music, up to 0.3 seconds earlier or later, where their words leave room. `false`: they end as planned. `beat`: on beats of other servers' music too, and the film itself ends on one.",
  ),
  template: optional(
    named(
      "FilmTemplate",
      z
        .object({
          templateId: optional(Id),
          library: optional(z.string().max(100)).describe("A template of the library, in the brand's colors."),
          values: optional(PlaceholderValues),
        })
        .refine(({ templateId, library }) => (templateId === undefined) !== (library === undefined), {
          message: "Must have a templateId or a library, and not both.",
        }),
    ),
  ),
  budget: optional(Budget),
  references: optional(z.boolean()).describe(
    "True by default: the pictures of the brief are sent to models that accept reference images.",
  ),
  stopAt: optional(Stops).describe("Waits for an approval after each of these."),
  fresh: optional(z.boolean()).describe(
    "Makes everything again, without reusing parts of the project's earlier films.",
  ),
  allowUnpriced: optional(z.boolean()).describe("Allows models without a price although there is a budget."),
  onUnknown: optional(z.enum(["wait", "retry"])).describe(
    "What happens to a step that may or may not have been paid: `retry` may pay twice. `wait` by default.",
  ),
  webhook: optional(WebhookRequest),
  destinations: optional(Destinations),
  ...gateFields,
});

/** Converts the body to a request of the domain. */
export function toFilmRequest(body: z.output<typeof FilmOrderBody>, projectId: string): FilmRequest {
  const { brief, name, language, seconds, scenes, targets, resolution, models, voice, captions, music, look } = body;
  const { speech, ...chosen } = toModels(models);
  const audioUrl = music ? (music.audioUrl ?? (music.assetId && assetUrl(projectId, music.assetId))) : undefined;
  const bed = music ? music.bed || undefined : music === false ? undefined : "auto";
  const musicPrompt = music && audioUrl === undefined ? music.prompt?.trim() : undefined;
  const { webhook, template, references, budget, stopAt = [], allowUnpriced = false, onUnknown = "wait", fresh } = body;
  const { destinations, platforms, rules, snap, effects, palette, scenario } = body;
  const gate = body.gate ?? (requiresGate(destinations) ? ("warn" as const) : undefined);
  const { text, url, assetIds, reference } = brief;
  return {
    brief: withoutUndefined({ text: text || undefined, url, assetIds, reference }),
    ...withoutUndefined({ references, name, language, seconds, scenes, resolution, look, palette }),
    ...(scenario && { scenario, scenes: scenario.length, seconds: secondsOf(scenario) }),
    targets: targets ?? ["9:16"],
    models: { ...chosen, ...(voice !== false && withoutUndefined({ speech })) },
    ...(voice && {
      voice: withoutUndefined({ voice: voice.voice || undefined, style: voice.style || undefined }),
    }),
    ...(captions !== false && { captions: captions ?? {} }),
    ...withoutUndefined({ audioUrl: audioUrl || undefined, musicPrompt: musicPrompt || undefined }),
    ...withoutUndefined({ bed, effects: effects ?? undefined, snap: snap ?? undefined }),
    ...withoutUndefined({ bpm: (music || undefined)?.bpm ?? undefined }),
    ...withoutUndefined({ template: template && toTemplate(template), maxSpend: budget?.limit }),
    ...withoutUndefined({ fresh: fresh || undefined, webhook, destinations, gate: gate && { gate, platforms, rules } }),
    ...{ stopAt, allowUnpriced, onUnknown },
  };
}

/** Reads an order that a table has filled in. */
export function readFilmOrder(order: object, projectId: string): FilmRequest {
  const parsed = parseInput(FilmOrderBody, order);
  if (parsed.success) return toFilmRequest(parsed.data, projectId);
  throw new DomainError("validation_error", { issues: issuesOf(parsed.error) });
}

type SentTemplate = NonNullable<z.output<typeof FilmOrderBody>["template"]>;

// safe because exactly one of the two exists
const toTemplate = ({ templateId, library, values = {} }: SentTemplate): FilmTemplate =>
  library === undefined ? { templateId: templateId!, values } : { library, values };

const assetUrl = (projectId: string, assetId: string): string => `/api/projects/${projectId}/assets/${assetId}`;

const refused = (header: string) =>
  z
    .undefined(`Send providers and models in the body, as \`models\`, and no ${header}.`)
    .optional()
    .describe("Not taken here: `models` of the body chooses.");

/** Gives each header its own copy of the schema, because descriptions are bound to schemas. */
const keyOf = (what: string) => ModelHeader.describe(`The key of ${what}, kept encrypted until the end.`);

export const FilmKeys = z.object({
  ...Object.fromEntries(filmCategories.map((name) => [`x-${name}-api-key`, keyOf(`\`models.${name}\``)])),
  "x-api-key": keyOf("the one provider that has no key of its own"),
});

export function givenKeys(headers: Readonly<Record<string, unknown>>): GivenKeys {
  const keyIn = (name: string) => (typeof headers[name] === "string" && headers[name].trim()) || undefined;
  const own = filmCategories.map((category) => [category, keyIn(`x-${category}-api-key`)]);
  return Object.fromEntries([...own, ["any", keyIn("x-api-key")]].filter(([, key]) => key !== undefined));
}

/** Adds headers that other routes accept, so that films can refuse them. */
export const FilmHeaders = FilmKeys.extend({
  ...Object.fromEntries(
    [...filmCategories.map((name) => `x-${name}-provider`), "x-model-id"].map((name) => [name, refused(name)]),
  ),
});

export const FilmChangesBody = namedObject("FilmChanges", {
  name: optional(Name),
  budget: optional(Budget),
  stopAt: optional(Stops),
});

export const FilmCopyBody = namedObject("FilmCopy", {
  name: optional(Name).describe("By default, that of the film."),
  look: optional(z.string().max(60)).describe("A name of GET /api/looks; by default, the film's own look."),
  palette: optional(FilmPalette).describe("By default, the colors of the film's order."),
});

export const ApprovalBody = named(
  "FilmApproval",
  z
    .object({
      step: optional(z.string().max(100)).describe("A step that is not made, to leave out."),
      scenario: optional(Scenario).describe("The scenes as they shall be: only what differs is made again."),
    })
    .refine(({ step, scenario }) => step === undefined || scenario === undefined, {
      path: ["step"],
      message: "Must not be sent together with a scenario.",
    }),
);

export const RetryBody = namedObject("FilmStepRetry", {
  prompt: optional(textUpTo(20_000)),
  model: optional(z.string().max(200)).describe("Of the same provider."),
  seed: optional(
    z
      .int()
      .min(0)
      .max(2 ** 31 - 1),
  ).describe("For models that take one: another one gives another result."),
});

export const ReplacementBody = namedObject("FilmStepReplacement", { assetId: Id });

export const FileQuery = z.object({
  target: z.enum(aspectRatios).optional().describe("One of the film's targets, by default the first."),
});
