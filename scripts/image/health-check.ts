import { readEnvironment } from "../../src/env.ts";

/**
 * Ends with 0 if the service in this container is ready, and else with 1. A process with ROLE=worker has no port: it
 * answers at HEALTH_SOCKET.
 */
const { ROLE, HOST, PORT, HEALTH_SOCKET } = readEnvironment();
const everyAddress: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };
const address = everyAddress[HOST] ?? (HOST.includes(":") ? `[${HOST}]` : HOST);
const socket = ROLE === "worker" && { unix: HEALTH_SOCKET ?? "" };
const response = await fetch(`http://${address}:${PORT}/api/ready`, {
  ...socket,
  signal: AbortSignal.timeout(8_000),
}).catch(String);

const isReady = response instanceof Response && response.ok;
process.stdout.write(`${response instanceof Response ? await response.text() : response}\n`);
process.exit(isReady ? 0 : 1);
