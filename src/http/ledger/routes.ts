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

/** Prices of the providers' models. */
export const priceRoutes = ({ prices }: Pick<Services, "prices">) =>
  new Hono<AppEnv>().get(
    "/",
    documented(requireScopes(), {
      id: "listPrices",
      summary: "List the prices of models",
      about:
        "Returns the prices that estimates and budgets use, each with the day on which it was read and the page that publishes it. A model without a row has no known price; `local` costs nothing.",
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

/** Cost of the caller's provider calls. */
export const spendRoutes = ({ ledger, projects }: Pick<Services, "ledger" | "projects">) =>
  new Hono<AppEnv>().get(
    "/",
    documented(requireScopes(), {
      id: "listSpend",
      summary: "Sum up spending",
      about:
        "Adds up the cost of the user's provider calls, by day, project, model or film. With `Accept: text/csv` the answer is a table. Calls are kept for 400 days, then their sums by day, project and model.",
      answers: {
        200: {
          description: "The amount paid.",
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

/** Budgets of projects. */
export const budgetRoutes = (services: Pick<Services, "ledger" | "projects" | "films">) => {
  const inProject = operationsOf("Usage", loadProject(services));
  return new Hono<AppEnv>()
    .get(
      "/:projectId/budget",
      inProject(requireScopes("projects:read"), {
        id: "getBudget",
        summary: "Read the budget of a project",
        about: "Returns the limit of the project, and the amounts spent and reserved.",
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
          "From now on, a provider call that could exceed the budget is refused with `budget_exceeded`. Running calls continue, and films that wait for the budget check it again.",
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
        about: "From now on, only the user's limit bounds the spending of the project.",
        answers: noContent("The budget is removed."),
        errors: ["not_found"],
      }),
      async (c) => {
        await removeBudget(services, c.var.project);
        await resumeUnderBudgets(services, { projectId: c.var.project.id });
        return c.body(null, 204);
      },
    );
};
