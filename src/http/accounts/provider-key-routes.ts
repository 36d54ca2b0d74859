import { Hono } from "hono";
import { z } from "zod";
import { forgetProviderKey, keepProviderKey, keyedProvider, type ProviderKey } from "../../domain/ai/provider-keys.ts";
import { namedObject } from "../../domain/shared/schemas.ts";
import type { Services } from "../../services.ts";
import { json, noContent } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { loads } from "../middleware/load-resource.ts";
import { requireLogin } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { validate } from "../request/validate.ts";
import { ProviderKeys, ProviderKey as ProviderKeyView } from "./views.ts";

const NewProviderKey = namedObject("NewProviderKey", {
  key: z
    .string()
    .trim()
    .min(1)
    .max(4096)
    .regex(/^[\x21-\x7e]+$/, "Must be printable ASCII without spaces.")
    .describe("The provider's key. No response contains it."),
});

const documented = operationsOf("Accounts");

/** Only a login manages the keys: an API token uses them through the routes of its scopes. */
export const providerKeyRoutes = (services: Services) => {
  const view = ({ provider, createdAt }: ProviderKey) => ({
    ...{ provider, name: keyedProvider(services, provider).title, createdAt },
  });
  const loadProvider = loads(async (c, next) => {
    keyedProvider(services, c.req.param("provider") ?? "");
    await next();
  });
  const isOffered = ({ provider }: ProviderKey) =>
    services.models.providers.some(({ id, category }) => {
      return services.models.select(category, { provider: id }).id.provider === provider;
    });

  return new Hono<AppEnv>()
    .get(
      "/",
      documented(requireLogin, {
        id: "listProviderKeys",
        summary: "List the kept keys of providers",
        about: "Returns the providers whose keys your account keeps, without the keys.",
        answers: { 200: json(ProviderKeys, "The providers.") },
      }),
      async (c) => {
        const kept = await services.providerKeys.list(c.var.caller.user.id);
        return c.json(kept.filter(isOffered).map(view), 200);
      },
    )
    .put(
      "/:provider",
      documented(requireLogin, {
        id: "keepProviderKey",
        summary: "Keep the key of a provider",
        about:
          "Keeps your key for a provider, encrypted, in place of an earlier one. Requests that name the provider and send no key use it; a key in a header comes first. It goes with the account, and is in no archive.",
        answers: { 200: json(ProviderKeyView, "The provider.") },
      }),
      loadProvider,
      validate("json", NewProviderKey),
      async (c) => {
        const { key } = c.req.valid("json");
        return c.json(view(await keepProviderKey(services, c.var.caller.user.id, c.req.param("provider"), key)), 200);
      },
    )
    .delete(
      "/:provider",
      documented(requireLogin, {
        id: "forgetProviderKey",
        summary: "Forget the key of a provider",
        about: "Removes the key. Films that were ordered with it keep their own copy until they end.",
        answers: noContent("The key is removed."),
      }),
      loadProvider,
      async (c) => {
        await forgetProviderKey(services, c.var.caller.user.id, c.req.param("provider"));
        return c.body(null, 204);
      },
    );
};
