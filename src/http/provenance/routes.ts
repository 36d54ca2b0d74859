import { Hono } from "hono";
import { filmValueOf, requireProduction } from "../../domain/exports/lifecycle/film-value.ts";
import { provenanceView } from "../../domain/provenance/view.ts";
import type { Services } from "../../services.ts";
import { json } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { requireExportScopes, requireOwnExport } from "../exports/access.ts";
import { operationsOf } from "../openapi.ts";
import { FilmValueView, ProvenanceView } from "./views.ts";

const documented = operationsOf("Exports");

/** The sources of an export's videos. */
export const provenanceRoutes = (services: Services) =>
  new Hono<AppEnv>()
    .get(
      "/:exportId/provenance",
      documented(requireExportScopes(), {
        id: "readProvenance",
        summary: "Read what an exported video was made from",
        about:
          "Returns the content of the signed C2PA manifest in the videos: each source file, with its hash and the model that made it. The answer is 404 for exports of versions that recorded nothing.",
        answers: { 200: json(ProvenanceView, "The provenance.") },
        errors: ["not_found", "not_ready"],
      }),
      async (c) => c.json(provenanceView(requireProduction(await requireOwnExport(services.exports, c))), 200),
    )
    .get(
      "/:exportId/film.json",
      documented(requireExportScopes(), {
        id: "readFilmValue",
        summary: "Read an exported video as a value",
        about:
          "Returns everything that determines the bytes of the videos except their signature: the complete request, a hash of each file, and the versions of the renderer. The same value gives the same bytes on another machine.",
        answers: { 200: json(FilmValueView, "The value.") },
        errors: ["not_found", "not_ready"],
      }),
      async (c) => c.json(await filmValueOf(services, await requireOwnExport(services.exports, c)), 200),
    );
