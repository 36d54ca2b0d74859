import { Hono } from "hono";
import { z } from "zod";
import { DomainError } from "../../errors.ts";
import type { Services } from "../../services.ts";
import { json } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { anyone } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { namedObject } from "../schemas/responses.ts";

const Health = namedObject("Health", { status: z.literal("ok") });

const Readiness = namedObject("Readiness", {
  status: z.literal("ready"),
  checks: z.record(z.string(), z.enum(["ok", "failing"])).describe("The parts of the service."),
});

const documented = operationsOf("Service");

export const healthRoutes = ({ readiness }: Pick<Services, "readiness">) =>
  new Hono<AppEnv>()
    .get(
      "/health",
      documented(anyone, {
        id: "getHealth",
        summary: "Check whether the process runs",
        about: "Responds as long as the process runs; no part of the service is checked.",
        answers: { 200: json(Health, "It runs.") },
      }),
      (c) => c.json({ status: "ok" }, 200),
    )
    .get(
      "/ready",
      documented(anyone, {
        id: "getReadiness",
        summary: "Check whether the service is ready",
        about: "Checks all parts of the service. If one fails, the answer is 503 and names it.",
        answers: { 200: json(Readiness, "All parts pass.") },
      }),
      async (c) => {
        const checks = await readiness();
        if (Object.values(checks).includes("failing")) throw new DomainError("unavailable", { checks });
        return c.json({ status: "ready", checks }, 200);
      },
    );
