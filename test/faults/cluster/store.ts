import { join } from "node:path";
import { type Bucket, openBucket } from "../../../src/storage/s3/bucket.ts";
import type { StoreAccess } from "../../../src/storage/s3/request.ts";
import { realBucket } from "../../support/s3-server.ts";

type ObjectStore = {
  readonly access: StoreAccess;
  /** Past the proxy. */
  readonly bucket: Bucket;
  /** False for a server that this program did not start: it can only be cut off. */
  readonly isOwn: boolean;
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
  restart(): Promise<void>;
  end(): Promise<void>;
};

/** The S3 server that TEST_S3_ENDPOINT names, else that of the tests as a process of its own. */
export async function startStore(): Promise<ObjectStore> {
  const access = await realBucket();
  return access ? givenStore(access) : ownStore();
}

function givenStore(access: StoreAccess): ObjectStore {
  const refuse = async () => {
    throw new Error("This object store is not ours to stop.");
  };
  const nothing = () => {};
  const bucket = openBucket(access);
  return {
    access,
    bucket,
    isOwn: false,
    freeze: nothing,
    thaw: nothing,
    stop: refuse,
    restart: refuse,
    end: async () => {},
  };
}

async function ownStore(): Promise<ObjectStore> {
  const command = [process.execPath, join(import.meta.dir, "store-process.ts")];
  const running = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const lines = running.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const nextLine = async () => (await lines.read()).value ?? "";
  const access: StoreAccess = JSON.parse(await nextLine());
  const tell = async (command: string) => {
    running.stdin.write(`${command}\n`);
    await running.stdin.flush();
    await nextLine();
  };
  return {
    access,
    bucket: openBucket(access),
    isOwn: true,
    freeze: () => running.kill("SIGSTOP"),
    thaw: () => running.kill("SIGCONT"),
    stop: () => tell("stop"),
    restart: () => tell("restart"),
    async end() {
      running.kill("SIGKILL");
      await running.exited;
    },
  };
}
