import { scriptedModels } from "../support/models/scripted-models.ts";
import { testService } from "../support/service.ts";

/** A service that counts how often it identifies a caller, and how often it counts a request of one. */
export async function countedService() {
  const { script, models } = scriptedModels();
  const counts = { identified: 0, requests: 0 };
  const service = await testService({}, undefined, (services) => ({
    ...models(services),
    users: {
      ...services.users,
      findLoggedIn: (session) => {
        counts.identified++;
        return services.users.findLoggedIn(session);
      },
    },
    requestLimiter: { take: () => void counts.requests++ },
  }));
  const reset = () => {
    script.reset();
    Object.assign(counts, { identified: 0, requests: 0 });
  };
  return { service, script, counts, reset };
}
