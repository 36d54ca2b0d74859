import type { ProviderInfo } from "./models.ts";

type EndingModel = { readonly provider: string; readonly model: string; readonly endsOn: string };

const dayMs = 86_400_000;
const daysAhead = 60;

/** The listed models that end within two months, the earliest first. */
export function endingModels(providers: readonly ProviderInfo[], now: number): readonly EndingModel[] {
  const found = providers.flatMap(({ name, models, transcriptionModels = [] }) =>
    [...models, ...transcriptionModels].flatMap(({ id, endsOn }) => {
      const left = endsOn === undefined ? Number.NaN : Date.parse(endsOn) - now;
      return left > -dayMs && left <= daysAhead * dayMs ? [{ provider: name, model: id, endsOn: endsOn! }] : [];
    }),
  );
  return found.toSorted((one, other) => one.endsOn.localeCompare(other.endsOn));
}

export const endingPhrase = ({ provider, model, endsOn }: EndingModel): string =>
  `${model} of ${provider} on ${endsOn}`;
