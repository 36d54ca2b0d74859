import { Hono } from "hono";
import { writeWorkScenario } from "../../domain/scenario.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import { answeredOnce } from "../middleware/answered-once.ts";
import { needs } from "../middleware/needs.ts";
import { ownWork } from "../middleware/owned.ts";
import { unhurried } from "../middleware/unhurried.ts";
import { modelChoice, modelHeaders } from "../model-choice.ts";
import { callOf } from "../provider-call.ts";

export const workScenarioRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/:workId/scenario",
    needs("ai:generate", "works:write"),
    ownWork(services),
    unhurried,
    modelHeaders("llm"),
    answeredOnce(services),
    async (c) => {
      const model = services.models.llm(modelChoice("llm", c.req.valid("header")));
      const { project, work } = c.var;
      const scenes = await writeWorkScenario(services, { model, call: callOf(c, services) }, { project, work });
      return c.json({ scenes }, 200);
    },
  );
