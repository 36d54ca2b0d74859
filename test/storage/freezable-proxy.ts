import { connect, createServer, type Server, type Socket } from "node:net";

/** A TCP proxy to a Postgres server that can freeze or drop its connections. */
export async function freezableProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let frozen = false;

  const server = createServer((inner) => {
    const outer = connect(Number(target.port || 5432), target.hostname);
    const directions = [
      [inner, outer],
      [outer, inner],
    ] as const;
    for (const [from, to] of directions) {
      sockets.add(from);
      from.on("error", () => {}).on("close", () => to.destroy());
      from.pipe(to);
      if (frozen) from.pause();
    }
  });
  const freezeOpen = () => {
    for (const socket of sockets) socket.pause();
  };
  const disconnect = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };

  const port = await listen(server, 0);
  return {
    databaseUrl: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href,
    freeze: () => {
      frozen = true;
      freezeOpen();
    },
    thaw: () => {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    /** Forgets the open connections without a word, as a NAT or a replaced server does; new ones work. */
    freezeOpen: () => {
      frozen = false;
      freezeOpen();
      sockets.clear();
    },
    /** Resets the open connections; new ones work. */
    resetOpen: () => {
      for (const socket of sockets) socket.resetAndDestroy();
      sockets.clear();
    },
    /** Ends the open connections; new ones work. */
    endOpen: () => {
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    disconnect,
    reconnect: () => listen(server, port),
    close: disconnect,
  };
}

const listen = (server: Server, port: number) =>
  new Promise<number>((resolve) => {
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
