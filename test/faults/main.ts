import { killedFilms } from "./scenarios/films.ts";
import { kills } from "./scenarios/kills.ts";
import { runOptions } from "./scenarios/options.ts";
import { outagesInTurn } from "./scenarios/outages.ts";
import { rollingRestarts } from "./scenarios/rolling.ts";
import { run } from "./scenarios/run.ts";
import { stops } from "./scenarios/stops.ts";
import { upgradedFilms } from "./scenarios/upgrade.ts";

const scenarios = { kills, outages: outagesInTurn, rolling: rollingRestarts, stops };

const [name = "kills"] = process.argv.slice(2);
if (name === "films") process.exit((await killedFilms()) ? 0 : 1);
if (name === "upgrade") process.exit((await upgradedFilms()) ? 0 : 1);
if (!(name in scenarios)) {
  console.error(`Choose one of ${Object.keys(scenarios).join(", ")}, films, upgrade.`);
  process.exit(2);
}
// safe because of the check above
const isKept = await run(name, runOptions(), scenarios[name as keyof typeof scenarios]);
process.exit(isKept ? 0 : 1);
