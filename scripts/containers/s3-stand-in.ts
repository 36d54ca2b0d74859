import { s3Server } from "../../test/support/s3-server.ts";

/** Takes the place of the object store of compose.yaml where its image cannot be had. Keeps objects in memory. */
const { ROOT_ACCESS_KEY_ID: accessKeyId = "", ROOT_SECRET_ACCESS_KEY: secretAccessKey = "" } = process.env;
s3Server({ hostname: "0.0.0.0", port: 7070, credentials: { region: "us-east-1", accessKeyId, secretAccessKey } });
process.on("SIGTERM", () => process.exit(0));
