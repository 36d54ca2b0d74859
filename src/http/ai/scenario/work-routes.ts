import { Hono } from "hono";
import { writeWorkScenario } from "../../../domain/ai/scenario/scenario.ts";
import type { Services } from "../../../services.ts";
import { json } from "../../answers.ts";
import type { AppEnv } from "../../app-env.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { loadWork } from "../../middleware/load-resource.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { operationsOf } from "../../openapi.ts";
import { respondAsync } from "../../operations/respond-async.ts";
import { modelErrors } from "../errors.ts";
import { modelChoice, modelHeaders, withProviderCall } from "../model-choice.ts";
import { modelResponseHeaders } from "../model-headers.ts";
import { Scenario } from "../views.ts";

const documented = operationsOf("AI");

export const workScenarioRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/:workId/scenario",
    documented(requireScopes("ai:generate", "works:write"), {
      id: "writeWorkScenario",
      summary: "Write the scenario of a work",
      about: "Writes scenes from the work's own fields, its project and its analysis, and saves them in the work.",
      answers: { 200: json(Scenario, "The scenes.", modelResponseHeaders) },
      errors: modelErrors,
    }),
    loadWork(services),
    noIdleTimeout,
    modelHeaders(services, "llm"),
    idempotent(services),
    respondAsync(services),
    async (c) => {
      const model = services.models.llm(modelChoice("llm", c.req.valid("header")));
      const { project, work } = c.var;
      const scenes = await withProviderCall(c, services, (call) =>
        writeWorkScenario(services, { model, call }, { project, work }),
      );
      return c.json({ scenes }, 200);
    },
  );
