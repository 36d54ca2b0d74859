import { type Context, Hono } from "hono";
import { resumeUnderBudgets } from "../../domain/films/budget-waits.ts";
import { budgetView, removeBudget, requireBudget, setBudget } from "../../domain/ledger/project-budget.ts";
import { spendCsv, spendView } from "../../domain/ledger/spend.ts";
import { isId } from "../../domain/shared/ids.ts";
import { requireFound } from "../../domain/shared/versioned.ts";
import type { Services } from "../../services.ts";
import { json, noContent, schemaFor } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { loadProject } from "../middleware/load-resource.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { validate } from "../request/validate.ts";
import { NewBudget, SpendQuery } from "./schemas.ts";
import { Budget, Prices, Spend } from "./views.ts";

const documented = operationsOf("Usage");

/** What the models of providers cost. */
export const priceRoutes = ({ prices }: Pick<Services, "prices">) =>
  new Hono<AppEnv>().get(
    "/",
    documented(requireScopes(), {
      id: "listPrices",
      summary: "List the prices of models",
      about:
        "Returns the prices that estimates and budgets reckon with, each with the day on which it was read and the page that publishes it. A model that has no row is unpriced; `local` costs nothing.",
      answers: { 200: json(Prices, "The prices in force.") },
    }),
    (c) =>
      c.json(
        prices.list().map(({ from: _, ...row }) => row),
        200,
      ),
  );

const csvType = "text/csv";

const prefersCsv = (c: Context) => (c.req.header("accept") ?? "").toLowerCase().includes(csvType);

/** What the caller's calls of providers have cost. */
export const spendRoutes = ({ ledger, projects }: Pick<Services, "ledger" | "projects">) =>
  new Hono<AppEnv>().get(
    "/",
    documented(requireScopes(), {
      id: "listSpend",
      summary: "Add up what was spent",
      about:
        "Adds up the calls of providers that the user's requests have made, by day, project, model or film. With `Accept: text/csv` the answer is a table. Calls are kept for 400 days, then their sums by day, project and model.",
      answers: {
        200: {
          description: "What was paid.",
          content: {
            "application/json": { schema: schemaFor("output", Spend) },
            [csvType]: { schema: { type: "string" } },
          },
        },
      },
      errors: ["not_found"],
    }),
    validate("query", SpendQuery),
    async (c) => {
      const query = c.req.valid("query");
      const { user } = c.var.caller;
      const { projectId } = query;
      if (projectId !== undefined) {
        requireFound(isId("proj", projectId) ? await projects.find(user.id, projectId) : undefined);
      }
      await ledger.endAbandoned();
      const groups = await ledger.report(user.id, query);
      if (!prefersCsv(c)) return c.json(spendView(groups), 200);
      return c.body(spendCsv(groups), 200, { "Content-Type": `${csvType}; charset=utf-8` });
    },
  );

/** What the calls of a project may cost. */
export const budgetRoutes = (services: Pick<Services, "ledger" | "projects" | "films">) => {
  const inProject = operationsOf("Usage", loadProject(services));
  return new Hono<AppEnv>()
    .get(
      "/:projectId/budget",
      inProject(requireScopes("projects:read"), {
        id: "getBudget",
        summary: "Read the budget of a project",
        about: "Returns what may be spent for the project, and what is spent and reserved of it.",
        answers: { 200: json(Budget, "The budget.") },
        errors: ["not_found"],
      }),
      async (c) => c.json(budgetView(await requireBudget(services, c.var.project), c.var.project), 200),
    )
    .put(
      "/:projectId/budget",
      inProject(requireScopes("projects:write"), {
        id: "setBudget",
        summary: "Set the budget of a project",
        about:
          "From now on no call of a provider begins that could pass the budget: it is refused with `budget_exceeded`. Calls that run go on, and films that wait for the budget look at it again.",
        answers: { 200: json(Budget, "The budget.") },
      }),
      validate("json", NewBudget),
      async (c) => {
        const budget = await setBudget(services, c.var.project, c.req.valid("json"));
        await resumeUnderBudgets(services, { projectId: c.var.project.id });
        return c.json(budgetView(budget, c.var.project), 200);
      },
    )
    .delete(
      "/:projectId/budget",
      inProject(requireScopes("projects:write"), {
        id: "deleteBudget",
        summary: "Remove the budget of a project",
        about: "From now on nothing limits what is spent for the project, but the limit of the user.",
        answers: noContent("There is no budget any more."),
        errors: ["not_found"],
      }),
      async (c) => {
        await removeBudget(services, c.var.project);
        await resumeUnderBudgets(services, { projectId: c.var.project.id });
        return c.body(null, 204);
      },
    );
};
