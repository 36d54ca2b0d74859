import { Command, Option } from "commander";
import { version } from "../../package.json";
import { batch } from "./batch.ts";
import { type Context, defaultUrl } from "./context.ts";
import { CredentialFile } from "./credentials.ts";
import { diff } from "./diff.ts";
import { exportVideo, timeline, watchExport } from "./exports.ts";
import { approveFilm, makeFilm } from "./films.ts";
import { importEdit } from "./imports.ts";
import { login, logout } from "./login.ts";
import { previewLook, uploadLook } from "./looks.ts";
import { bridge } from "./mcp.ts";
import { Output } from "./output.ts";
import { check, frame, validate } from "./previews.ts";
import { rebuild } from "./rebuild.ts";
import { createProject, createWork, listAssets, listExports, listProjects, listWorks } from "./resources.ts";
import { upload } from "./upload.ts";

type GlobalOptions = { readonly url?: string; readonly json?: boolean };

const exitCodeHelp = `
Exit codes:
  0 done · 1 failed · 2 wrong call · 3 not logged in, or not allowed (401, 403) · 4 request refused
  5 export or film failed or was cancelled · 6 service unreachable or busy · 7 film waits for you · 130 interrupted

Environment:
  REELWRIGHT_URL     the address of the service
  REELWRIGHT_TOKEN   an access token or API token instead of a login
  REELWRIGHT_API_KEY, REELWRIGHT_IMAGE_API_KEY and so on   provider keys for films`;

/** The commands. They throw; main.ts turns errors into messages and exit codes. */
export function reelwright(signal: AbortSignal): Command {
  const program = new Command("reelwright")
    .description("Makes short marketing videos with a Reelwright service.")
    .version(version)
    .addOption(
      new Option("--url <url>", `the service (default: the last login's, else ${defaultUrl})`).env("REELWRIGHT_URL"),
    )
    .option("--json", "write results to stdout as JSON, errors to stderr as JSON")
    .addHelpText("after", exitCodeHelp)
    .showHelpAfterError("(--help shows the options)")
    .configureHelp({ showGlobalOptions: true });

  const context = () => contextOf(program.opts<GlobalOptions>(), signal);

  program
    .command("login")
    .description("log in and store the tokens in the user's configuration folder")
    .option("--email <address>", "asked for in a terminal")
    .option("--password-stdin", "read the password from the standard input")
    .option("--token-stdin", "store an API token from the standard input instead")
    .option("--register <name>", "make a new user with this name")
    .action(async (options) => login(await context(), options));

  program
    .command("logout")
    .description("log out and delete the stored tokens")
    .action(async () => logout(await context()));

  const projects = program
    .command("projects")
    .description("list the projects")
    .action(async () => listProjects(await context()));
  projects
    .command("list")
    .description("list the projects")
    .action(async () => listProjects(await context()));
  projects
    .command("create <name>")
    .description("make a project and print its id")
    .action(async (name) => createProject(await context(), name));

  const works = program.command("works").description("list or make the works of a project");
  works
    .command("list")
    .description("list the works of a project")
    .requiredOption("--project <id>", "the project")
    .action(async (options) => listWorks(await context(), options));
  works
    .command("create [name]")
    .description("make a work and print its id")
    .requiredOption("--project <id>", "the project")
    .action(async (name, options) => createWork(await context(), name, options));

  const assets = program.command("assets").description("list the assets of a project");
  assets
    .command("list")
    .description("list the assets of a project")
    .requiredOption("--project <id>", "the project")
    .addOption(new Option("--type <type>", "only these").choices(["image", "video", "audio", "font"]))
    .action(async (options) => listAssets(await context(), options));

  const exports = program.command("exports").description("list the exports");
  exports
    .command("list")
    .description("list the exports, the newest first")
    .action(async () => listExports(await context()));

  program
    .command("upload <files...>")
    .description("upload files and print their ids")
    .requiredOption("--project <id>", "the project")
    .option("--name <name>", "the display name of one file")
    .option("--tag <tag...>", "tags of the assets")
    .option("--work <id>", "upload to the media of this work, with --slot")
    .option("--slot <slot>", "reference, audio, scene/N/image or scene/N/video")
    .action(async (files, options) => upload(await context(), files, options));

  program
    .command("export <request>")
    .description("export a video from a request in JSON (- for the standard input); Ctrl-C cancels the export")
    .option("-o, --output <path>", "output file", "film.mp4")
    .option("--project <id>", "replaces the request's project")
    .option("--work <id>", "replaces the request's work")
    .option("--to <name...>", "send the video to these destinations of the project")
    .option("--detach", "print the export's id and do not wait")
    .action(async (request, options) => exportVideo(await context(), request, options));

  program
    .command("film [brief]")
    .description("make a film from a brief, with a line for each step; Ctrl-C cancels it")
    .option("-o, --output <path>", "output file", "film.mp4")
    .option("--project <id>", "the project (default: one named Films)")
    .option("--budget <usd>", "maximum cost")
    .option("--seconds <seconds>", "duration of the film")
    .option("--scenes <count>", "how many scenes")
    .option("--language <tag>", "language of its words, such as de")
    .option("--page <url>", "a public page about the product")
    .option("--name <name>", "of the film")
    .option("--look <name>", "how it is set and moves (default: the one that fits the brief)")
    .option("--target <ratio...>", "9:16, 1:1, 16:9 or 4:5")
    .option("--stop-at <stage...>", "wait after scenario, images or scenes")
    .option("--model <model...>", "image=openai or image=openai/MODEL; local without a key")
    .option("--to <name...>", "send the video to these destinations of the project")
    .option("--detach", "print the film's id and do not wait")
    .action(async (brief, options) => makeFilm(await context(), brief, options));

  const look = program.command("look").description("draw or upload a look of your own");
  look
    .command("preview <folder>")
    .description("draw each layout of a look as one picture")
    .option("-o, --output <path>", "output file", "look.png")
    .option("--project <id>", "the project (default: one named Films)")
    .option("--format <ratio>", "9:16, 1:1, 16:9 or 4:5", "9:16")
    .action(async (folder, options) => previewLook(await context(), folder, options));
  look
    .command("upload <folder>")
    .description("add a look to a project, or replace it, and print its name")
    .requiredOption("--project <id>", "the project")
    .option("--name <name>", "its name (default: the folder's)")
    .action(async (folder, options) => uploadLook(await context(), folder, options));

  program
    .command("approve <film>")
    .description("resume a film that waits for an approval, and follow it; Ctrl-C leaves it running")
    .requiredOption("--project <id>", "its project")
    .option("-o, --output <path>", "output file", "film.mp4")
    .action(async (filmId, options) => approveFilm(await context(), filmId, options));

  program
    .command("watch <export>")
    .description("follow an export until it ends; Ctrl-C leaves it running; --json prints one state per line")
    .option("-o, --output <path>", "download the video")
    .action(async (exportId, options) => watchExport(await context(), exportId, options));

  program
    .command("batch <table>")
    .description("make a film from each row of a table (CSV or JSON) and download them; run it again to resume")
    .option("--work <id>", "the work whose saved editor shows columns as {{column}}")
    .option("--brief <text>", 'in its place, the brief of each film, such as "{{name}}: {{fact}}"')
    .option("--film <order>", "instead of a work, a film order in JSON with {{column}} in its texts (- for stdin)")
    .option("--project <id>", "the project (default: the project of the work, else one named Films)")
    .option("--key <column>", "the column that names a row")
    .option("--file-name <name>", "such as {{sku}}_{{language}}")
    .option("--language <tag...>", "make each row once in each language")
    .option("--target <ratio...>", "9:16, 1:1, 16:9 or 4:5: make each row once in each")
    .option("-o, --output <folder>", "output folder", "films")
    .option("--model <model...>", "image=openai makes films from briefs; llm=openai translates texts")
    .option("--budget <usd>", "maximum cost of models")
    .option("--stop-at <stage...>", "wait after translations or preview")
    .option("--to <name...>", "send the video to these destinations of the project")
    .option("--approve", "resume after such a stop")
    .action(async (path, options) => batch(await context(), path, options));

  program
    .command("frame <request>")
    .description("draw one frame of the video as PNG")
    .requiredOption("--at <seconds>", "the time of the frame")
    .option("--width <pixels>", "a smaller frame")
    .option("--target <ratio>", "9:16, 1:1, 16:9 or 4:5")
    .option("--project <id>", "replaces the request's project")
    .option("--work <id>", "replaces the request's work")
    .option("-o, --output <path>", "output file (- for the standard output)", "frame.png")
    .action(async (request, options) => frame(await context(), request, options));

  program
    .command("validate <request>")
    .description("list the errors and warnings of an export request; renders nothing")
    .option("--project <id>", "replaces the request's project")
    .option("--work <id>", "replaces the request's work")
    .action(async (request, options) => validate(await context(), request, options));

  program
    .command("import <edit>")
    .description("make a work of an edit of Shotstack, Creatomate, editly or OpenTimelineIO, and print its id")
    .requiredOption("--project <id>", "the project")
    .option("--type <service>", "shotstack, creatomate, editly or otio (default: by the file)")
    .action(async (edit, options) => importEdit(await context(), edit, options));

  program
    .command("diff <before> <after>")
    .description("list the differences between two videos, from their film.json")
    .action(async (before, after) => diff(await context(), [before, after]));

  program
    .command("rebuild <film>")
    .description("render the video of a film.json again, and list any differences")
    .option("-o, --output <path>", "output file", "film.mp4")
    .option("--project <id>", "replaces the video's project")
    .option("--work <id>", "replaces the video's work")
    .action(async (film, options) => rebuild(await context(), film, options));

  program
    .command("check <request>")
    .description("render a request and list the rules of platforms, brand and law that it breaks")
    .option("--platform <name...>", "tiktok, reels, shorts, meta_feed, youtube or linkedin (default: by the frame)")
    .option("--project <id>", "replaces the request's project")
    .option("--work <id>", "replaces the request's work")
    .action(async (request, options) => check(await context(), request, options));

  program
    .command("timeline <export>")
    .description("download the edit of an export for another program: .otio, .fcpxml, .edl, or .zip with the media")
    .option("-o, --output <path>", "output file; its name determines the format", "film.otio")
    .option("--target <ratio>", "9:16, 1:1, 16:9 or 4:5")
    .action(async (exportId, options) => timeline(await context(), exportId, options));

  program
    .command("mcp")
    .description("serve agents on the standard input and output (MCP), by the service's tools")
    .action(async () => bridge(await context()));

  for (const command of [program, ...program.commands.flatMap((one) => [one, ...one.commands])]) command.exitOverride();
  return program;
}

async function contextOf({ url, json = false }: GlobalOptions, signal: AbortSignal): Promise<Context> {
  const credentials = CredentialFile.inHome(process.env);
  const address = url ?? (await credentials.lastUrl()) ?? defaultUrl;
  const token = process.env.REELWRIGHT_TOKEN || undefined;
  return { url: address.replace(/\/+$/, ""), credentials, output: new Output(json), signal, token };
}
