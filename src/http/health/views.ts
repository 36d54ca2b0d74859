import { z } from "zod";
import { namedObject } from "../schemas/responses.ts";

export const Health = namedObject("Health", { status: z.literal("ok") });

export const Readiness = namedObject("Readiness", {
  status: z.literal("ready"),
  checks: z.record(z.string(), z.enum(["ok", "failing"])).describe("The parts of the service."),
});
