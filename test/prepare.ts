import { databaseTemplate } from "./helpers/database.ts";

// before the tests, so that their processes do not each create it
await databaseTemplate();
