import { s3Server } from "../../support/s3-server.ts";

// The S3 server of the tests as a process of its own, which can be frozen. Lines of its input stop and restart it:
// the objects are in its memory.

const server = s3Server();
process.stdout.write(`${JSON.stringify(server.newBucket())}\n`);

for await (const line of console) {
  if (line === "stop") await server.stop();
  else if (line === "restart") server.restart();
  server.requests.length = 0;
  process.stdout.write("ok\n");
}
