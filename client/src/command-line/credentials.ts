import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Tokens } from "../index.ts";

/** A login with its tokens, or an API token. */
type Credential = { readonly email?: string; readonly tokens: Tokens } | { readonly token: string };

type Stored = {
  /** The service of the last login. */
  readonly url?: string;
  readonly logins: Readonly<Record<string, Credential>>;
};

type Environment = Readonly<Record<string, string | undefined>>;

const nothingStored: Stored = { logins: {} };

/** Stores logins by service URL in a file that only its owner may read. */
export class CredentialFile {
  constructor(readonly path: string) {}

  /** Uses the folder where this system's programs keep their settings. */
  static inHome({ XDG_CONFIG_HOME, APPDATA }: Environment): CredentialFile {
    const folder = process.platform === "win32" ? APPDATA : XDG_CONFIG_HOME;
    return new CredentialFile(join(folder || join(homedir(), ".config"), "reelwright", "credentials.json"));
  }

  async lastUrl(): Promise<string | undefined> {
    return (await this.#read()).url;
  }

  async find(url: string): Promise<Credential | undefined> {
    return (await this.#read()).logins[url];
  }

  /** Stores a login and makes its service the default. */
  async add(url: string, credential: Credential): Promise<void> {
    await this.#write({ url, logins: { ...(await this.#read()).logins, [url]: credential } });
  }

  async replaceTokens(url: string, tokens: Tokens): Promise<void> {
    const stored = await this.#read();
    await this.#write({ ...stored, logins: { ...stored.logins, [url]: { ...stored.logins[url], tokens } } });
  }

  async remove(url: string): Promise<void> {
    const stored = await this.#read();
    const { [url]: _removed, ...logins } = stored.logins;
    await this.#write({ ...stored, logins });
  }

  async #read(): Promise<Stored> {
    try {
      return { ...nothingStored, ...JSON.parse(await readFile(this.path, "utf8")) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return nothingStored;
      throw new Error(`${this.path} cannot be read: remove it and log in again.`, { cause: error });
    }
  }

  /** Whole or not at all: two commands may refresh their tokens at once. */
  async #write(stored: Stored): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    const temporaryPath = `${this.path}.${process.pid}`;
    await writeFile(temporaryPath, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 });
    // the mode above applies only to a new file
    await chmod(temporaryPath, 0o600);
    await rename(temporaryPath, this.path);
  }
}
