import { connect, createServer, type Socket } from "node:net";

/** A TCP proxy that can cut, delay and freeze the connections through it. */
export async function startProxy(port: number, target: { readonly host: string; readonly port: number }) {
  const sockets = new Set<Socket>();
  const forgotten = new Set<Socket>();
  let isFrozen = false;
  let isRefusing = false;
  let delayMs = 0;

  const relay = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.setNoDelay(true);
    from.on("data", (chunk) => {
      const send = () => to.write(chunk) || from.pause();
      if (delayMs > 0) setTimeout(send, delayMs);
      else send();
    });
    to.on("drain", () => void (isFrozen || from.resume()));
    from.on("end", () => setTimeout(() => to.end(), delayMs));
    from.on("error", () => {});
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
    if (isFrozen) from.pause();
  };
  const server = createServer({ allowHalfOpen: true }, (inner) => {
    if (isRefusing) return void inner.resetAndDestroy();
    const outer = connect({ ...target, allowHalfOpen: true });
    relay(inner, outer);
    relay(outer, inner);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));

  return {
    connections: () => sockets.size / 2,
    /** Resets all open connections; new ones work. */
    cut() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    /** Resets all open connections and each new one. */
    refuse(refuses: boolean) {
      isRefusing = refuses;
      if (refuses) for (const socket of sockets) socket.resetAndDestroy();
    },
    /** Bytes of both directions wait this long; 0 ends it. */
    delay(milliseconds: number) {
      delayMs = milliseconds;
    },
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    /** Forgets the open connections without a word, as a router that lost its state does; new ones work. */
    forget() {
      for (const socket of sockets) forgotten.add(socket.pause());
      sockets.clear();
    },
    /** Ends what was forgotten, as the server's own probes do after a while. */
    endForgotten() {
      for (const socket of forgotten) socket.destroy();
      forgotten.clear();
    },
    end() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
