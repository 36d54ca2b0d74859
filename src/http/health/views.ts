import { z } from "zod";
import { named } from "../schemas/responses.ts";

export const Health = named("Health", z.object({ status: z.literal("ok") }));

export const Readiness = named(
  "Readiness",
  z.object({
    status: z.literal("ready"),
    checks: z.record(z.string(), z.enum(["ok", "failing"])).meta({ description: "The parts of the service." }),
  }),
);
