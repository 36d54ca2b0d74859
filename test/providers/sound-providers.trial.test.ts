import { test } from "bun:test";
import { soundProviders } from "../support/models/sound-providers.ts";
import { expectBounded, soundCalls } from "./sound-calls.ts";

const calls = soundCalls();
const named = soundProviders.map((provider) => [provider.name, provider] as const);

// the others are facts
test.each(named.filter(([name]) => !/transcripts/.test(name)))(
  "%s: an answer of 2 GB is read no further than any answer has",
  (_, provider) => expectBounded(calls, provider),
);
