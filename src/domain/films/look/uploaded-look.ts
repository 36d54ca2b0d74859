import { z } from "zod";
import { CardRefused, readCard, type SoundLibrary, type TextMeasurer } from "../../../engine/ports.ts";
import { DomainError, type Issue, invalid } from "../../../errors.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import { openZip } from "../../../platform/zip.ts";
import { renderContactSheet } from "../../exports/lifecycle/frames.ts";
import { ExportRequest } from "../../exports/request/schema.ts";
import { targetCanvas } from "../../exports/request/targets.ts";
import {
  type InstalledLooks,
  type Look,
  LookFile,
  type LookFiles,
  type LookStore,
  layouts,
  lookOf,
  type ProjectLook,
} from "../../looks/looks.ts";
import type { Project } from "../../projects/projects.ts";
import type { AspectRatio } from "../../shared/schemas.ts";
import { issuesOf, parseInput } from "../../shared/validation.ts";
import { requireFound } from "../../shared/versioned.ts";
import { defaultResolution } from "../../works/editor-state.ts";
import { newWork } from "../../works/save.ts";
import { sampleFilm, sampleSheet } from "./sample-film.ts";

/** The names of uploaded looks. */
export const LookName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "Must have 1 to 40 small letters, digits and hyphens.");

const maxZipBytes = 2 * 2 ** 20;
const maxFileBytes = 200_000;

const pageNames: readonly string[] = [...layouts, "device"].map((page) => `${page}.html`);

const refused = (reason: string) => new DomainError("unsupported_media_type", { reason });

const refusals = {
  damaged: () => refused("The file is no zip of a look, or it is damaged."),
  tooLarge: (limit: string) => refused(`The zip is too large: it may have ${limit}.`),
};

/** Throws unsupported_media_type. */
export function requireZipSize(bytes: number): void {
  if (bytes > maxZipBytes) throw refusals.tooLarge("2 MB");
}

/** Reads the files of a look from a zip of its folder. Throws unsupported_media_type and validation_error. */
export function lookFilesIn(bytes: Buffer): LookFiles {
  const zip = openZip(bytes, refusals);
  const paths = zip.names.filter((path) => !path.endsWith("/") && !/(?:^|\/)(?:__MACOSX\/|\.)/u.test(path));
  const found = paths.find((path) => /(?:^|\/)look\.json$/u.test(path));
  if (found === undefined) throw invalid("look.json", "The zip has no file of this name.");
  const folder = found.slice(0, -"look.json".length);
  const files = new Map<string, string>();
  for (const path of paths.filter((each) => each.startsWith(folder))) {
    const name = path.slice(folder.length);
    // the moving picture is made here
    if (name === "preview.webp") continue;
    if (!["look.json", "look.css", ...pageNames].includes(name)) {
      throw invalid(name, `No file of a look has this name: it has look.json, look.css, ${pageNames.join(", ")}.`);
    }
    const content = zip.read(path);
    if (content.length > maxFileBytes) throw invalid(name, `Must have at most ${maxFileBytes / 1000} KB.`);
    files.set(name, content.toString("utf8"));
  }
  return Object.fromEntries(files);
}

type CheckPorts = {
  readonly looks: InstalledLooks;
  readonly soundLibrary: SoundLibrary;
  readonly textMeasurer: TextMeasurer;
};

/** Tries each layout of a look with words. Throws validation_error, with the name of a file as path. */
async function checkedLook(
  { looks, soundLibrary, textMeasurer }: CheckPorts,
  name: string,
  files: LookFiles,
  options: TaskOptions,
): Promise<Look> {
  const parsed = parseInput(LookFile, jsonOf(files["look.json"] ?? ""));
  if (!parsed.success)
    throw wrong(issuesOf(parsed.error).map(({ path, message }) => issue(`look.json.${path}`, message)));
  const look = lookOf(name, files, looks.shared);
  const families = Object.entries(parsed.data.type).map(([role, { family }]) => ({ role, family }));
  const unknown = await textMeasurer.unknownCss(
    families.map(({ family }) => ({ property: "font-family", value: `"${family}"` })),
    options,
  );
  const isUnknown = (family: string) => unknown.some(({ value }) => value === `"${family}"`);
  const missing = families.filter(({ family }) => isUnknown(family));
  if (missing.length > 0) {
    throw wrong(
      missing.map(({ role, family }) => issue(`look.json.type.${role}.family`, `There is no font ${family}.`)),
    );
  }
  const silent = unknownSounds(parsed.data, soundLibrary);
  if (silent.length > 0) throw wrong(silent);
  for (const layout of layouts) requireCard(look, layout);
  const { scenes, request } = await sampleFilm(textMeasurer, look, targetCanvas("9:16", defaultResolution), options);
  const lost = scenes.flatMap(({ design: { layout }, missing: names }) =>
    names.map((box) => issue(`${layout}.html`, `Has no visible element with data-box="${box}" and data-text.`)),
  );
  if (lost.length > 0) throw wrong(lost);
  const checked = parseInput(ExportRequest, { projectId: "proj", workId: "work", ...request });
  if (!checked.success) {
    // each scene has the same moves
    const messages = issuesOf(checked.error).map(({ message }) => message.replace(/^\w+ \d+: /u, ""));
    throw wrong([...new Set(messages)].map((message) => issue("look.json.motion", message)));
  }
  return look;
}

function unknownSounds({ beds, effects }: LookFile, library: SoundLibrary): readonly Issue[] {
  const named = [
    ...beds.map((name, at) => ({ path: `beds.${at}`, name, among: library.beds })),
    ...effects.cuts.map((name, at) => ({ path: `effects.cuts.${at}`, name, among: library.effects })),
    ...Object.entries(effects.boxes).map(([box, name]) => ({
      ...{ path: `effects.boxes.${box}`, name, among: library.effects },
    })),
  ];
  return named
    .filter(({ name, among }) => !among.has(name))
    .map(({ path, among }) => issue(`look.json.${path}`, `Must be one of: ${[...among.keys()].join(", ")}.`));
}

function requireCard({ html, css }: Look, layout: (typeof layouts)[number]): void {
  try {
    readCard({ html: html[layout], css });
  } catch (error) {
    if (!(error instanceof CardRefused)) throw error;
    throw invalid(error.field === "css" ? "look.css" : `${layout}.html`, error.message);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("look.json", "Must be JSON.");
  }
}

const issue = (path: string, message: string): Issue => ({ path: path.replace(/\.$/u, ""), message });
const wrong = (issues: readonly Issue[]) => new DomainError("validation_error", { issues });

type UploadPorts = CheckPorts & { readonly projectLooks: LookStore };

/** Adds a look to a project, or replaces the one of that name. Throws errors of its files and limit_reached. */
export async function uploadLook(
  ports: UploadPorts,
  { projectId, name, files }: Pick<ProjectLook, "projectId" | "name" | "files">,
  options: TaskOptions,
): Promise<Look> {
  if (ports.looks.looks.has(name)) throw invalid("name", "A built-in look has this name.");
  const look = await checkedLook(ports, name, files, options);
  const now = Date.now();
  requireFound(await ports.projectLooks.put({ projectId, name, files, createdAt: now, updatedAt: now }));
  return look;
}

/** A sheet has small pictures. */
const sheetResolution = { width: 540, height: 960 };

/** Draws each layout of a look in a frame, as one PNG. Throws errors of its files. */
export async function drawLookSheet(
  ports: CheckPorts & Parameters<typeof renderContactSheet>[0],
  {
    project,
    name,
    files,
    format,
  }: {
    readonly project: Project;
    readonly name: string;
    readonly files: LookFiles;
    readonly format: AspectRatio;
  },
  options: Required<TaskOptions>,
): Promise<Uint8Array> {
  const look = await checkedLook(ports, name, files, options);
  const resolution = targetCanvas(format, sheetResolution);
  const work = { ...newWork(project, { name, productName: name }), resolution };
  const { request } = await sampleFilm(ports.textMeasurer, look, resolution, options);
  const parsed = ExportRequest.parse({ projectId: project.id, workId: work.id, ...request });
  return await renderContactSheet(ports, { work, request: parsed, ...options }, sampleSheet);
}
