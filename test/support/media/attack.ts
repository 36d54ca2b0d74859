import { dlopen } from "bun:ffi";
import { createSocket } from "node:dgram";
import * as fs from "node:fs";
import { connect, type NetConnectOpts } from "node:net";

/** What a program that was taken over tries. It is run by its path, with an `Attacked` as JSON. */
export type Attacked = {
  readonly serverId: number;
  /** A file of the server that the program was not given, and the folder that holds it. */
  readonly secret: string;
  readonly folder: string;
  /** A hard link to a stored file in a folder that the program reads. */
  readonly source: string;
  /** A folder that the program may write, if there is one. */
  readonly writable?: string;
  readonly tcpPort: number;
  readonly udpPort: number;
  readonly unixSocket: string;
  readonly abstractSocket: string;
};

type Attempt = () => unknown;

const settled = (open: (done: (error?: unknown) => void) => void) =>
  new Promise<void>((resolve, reject) => open((error) => (error ? reject(error) : resolve())));

const connected = (options: NetConnectOpts) =>
  settled((done) => {
    const socket = connect(options, () => {
      socket.destroy();
      done();
    });
    socket.on("error", done);
  });

const sent = (port: number) =>
  settled((done) => {
    const socket = createSocket("udp4");
    socket.on("error", done);
    socket.send("x", port, "127.0.0.1", (error) => {
      socket.close();
      done(error);
    });
  });

/** The system call, which needs no right to open the file. */
function truncate(path: string): void {
  const { symbols } = dlopen("libc.so.6", { truncate: { args: ["ptr", "i64"], returns: "i32" } });
  if (symbols.truncate(Buffer.from(`${path}\0`), 1) !== 0) throw new Error("refused");
}

/** Each does nothing, or throws. */
const attempts = (target: Attacked): Readonly<Record<string, Attempt>> => ({
  "read a file": () => fs.readFileSync(target.secret),
  "read a file on another thread": () => fs.promises.readFile(target.secret),
  "read a file with Bun": () => Bun.file(target.secret).bytes(),
  "list a folder": () => fs.readdirSync(target.folder),
  "write a file": () => fs.appendFileSync(target.secret, ""),
  "plant a file": () => fs.writeFileSync(`${target.folder}/planted`, ""),
  "remove a file": () => fs.rmSync(`${target.folder}/removed`),
  "read the server's environment": () => fs.readFileSync(`/proc/${target.serverId}/environ`),
  "open the server's memory": () => fs.closeSync(fs.openSync(`/proc/${target.serverId}/mem`, "r")),
  "signal the server": () => process.kill(target.serverId, 0),
  "write through a source's link": () => fs.closeSync(fs.openSync(target.source, "r+")),
  "link a source where it can write": () => fs.linkSync(target.source, `${target.writable ?? target.folder}/linked`),
  "truncate a file": () => truncate(`${target.folder}/truncated`),
  "truncate a source by reading it": () =>
    fs.closeSync(fs.openSync(target.source, fs.constants.O_RDONLY | fs.constants.O_TRUNC)),
  "change a mode": () => fs.chmodSync(target.secret, 0o600),
  "change the mode of a source": () => fs.chmodSync(target.source, 0o600),
  "change a time": () => fs.utimesSync(target.secret, 0, 0),
  "connect by TCP": () => connected({ port: target.tcpPort, host: "127.0.0.1" }),
  "send by UDP": () => sent(target.udpPort),
  "connect to a Unix socket": () => connected({ path: target.unixSocket }),
  "connect to an abstract socket": () => connected({ path: target.abstractSocket }),
  "ask for a size": () => fs.statSync(target.secret).size,
});

/** Prints the names of the attempts that succeeded. */
if (import.meta.main) {
  const succeeded: string[] = [];
  // safe because attackedBy passes it
  for (const [name, attempt] of Object.entries(attempts(JSON.parse(process.argv[2]!) as Attacked))) {
    const done = await Promise.resolve()
      .then(attempt)
      .then(
        () => true,
        () => false,
      );
    if (done) succeeded.push(name);
  }
  await Bun.write(Bun.stdout, JSON.stringify(succeeded));
}
