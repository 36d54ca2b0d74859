import { databaseTemplate, serverDatabaseTemplate, serverUrl } from "./support/database.ts";

// before the tests, so that their processes do not each create them
await databaseTemplate();
if (serverUrl) await serverDatabaseTemplate(serverUrl);
