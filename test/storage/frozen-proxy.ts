import { connect, createServer, type Server, type Socket } from "node:net";

/** A way to a Postgres server that can go silent or away, as machines and networks do. */
export async function frozenProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let frozen = false;

  const server = createServer((inner) => {
    const outer = connect(Number(target.port || 5432), target.hostname);
    const ways = [
      [inner, outer],
      [outer, inner],
    ] as const;
    for (const [from, to] of ways) {
      sockets.add(from);
      from.on("error", () => {}).on("close", () => to.destroy());
      from.pipe(to);
      if (frozen) from.pause();
    }
  });
  const goAway = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };

  const port = await listen(server, 0);
  return {
    databaseUrl: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href,
    freeze: () => {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw: () => {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    goAway,
    comeBack: () => listen(server, port),
    close: goAway,
  };
}

const listen = (server: Server, port: number) =>
  new Promise<number>((resolve) => {
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
