import { Hono } from "hono";
import { writeWorkScenario } from "../../../domain/ai/scenario/scenario.ts";
import type { Services } from "../../../domain/services.ts";
import type { AppEnv } from "../../app-env.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { loadWork } from "../../middleware/load-resource.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { respondAsync } from "../../middleware/operations.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { modelChoice, modelHeaders, providerCallFor } from "../../request/model-choice.ts";

export const workScenarioRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/:workId/scenario",
    requireScopes("ai:generate", "works:write"),
    loadWork(services),
    noIdleTimeout,
    modelHeaders("llm"),
    idempotent(services),
    respondAsync(services),
    async (c) => {
      const model = services.models.llm(modelChoice("llm", c.req.valid("header")));
      const { project, work } = c.var;
      const context = { model, call: providerCallFor(c, services) };
      const scenes = await writeWorkScenario(services, context, { project, work });
      return c.json({ scenes }, 200);
    },
  );
