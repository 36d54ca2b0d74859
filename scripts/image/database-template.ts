import { PGlite } from "@electric-sql/pglite";
import { embeddedHandle } from "../../src/storage/database/database.ts";
import { markTemplate } from "../../src/storage/database/template.ts";
import { jobQueues } from "../../src/storage/queue/job-queue.ts";
import { embeddedQueueRules } from "../../src/storage/queue/rules.ts";

/** Creates the folder that DATABASE_TEMPLATE names: an embedded database with all tables and no rows of users. */
const [folder] = process.argv.slice(2);
if (!folder) throw new Error("Usage: database-template.ts FOLDER");
const client = await PGlite.create(folder);
const { queueConnection } = await embeddedHandle(client, "template");
const queues = jobQueues(queueConnection, embeddedQueueRules);
await queues.ready();
await queues.stop();
await markTemplate(client);
await client.close();
