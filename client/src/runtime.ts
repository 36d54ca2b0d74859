/** Node's built-in modules in Node, Bun and Deno, without imports that bundlers for browsers would follow. */

type FileHandle = {
  write(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
};

type FileStat = { readonly size: number; isFile(): boolean };

type NodeFiles = {
  open(path: string | URL, flags: string): Promise<FileHandle & { createReadStream(): AsyncIterable<Uint8Array> }>;
  stat(path: string | URL): Promise<FileStat>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { readonly force: boolean }): Promise<void>;
};

type NodeProcess = {
  readonly versions?: { readonly node?: string };
  getBuiltinModule?(name: string): unknown;
};

const nodeProcess = (globalThis as { readonly process?: NodeProcess }).process;

/** True in Node, Bun and Deno: there `fetch` can send a stream over HTTP/1.1. */
export const isServerRuntime = nodeProcess?.versions?.node !== undefined;

/** Throws in a browser, and in Node before 20.16. */
export function nodeFiles(): NodeFiles {
  const files = nodeProcess?.getBuiltinModule?.("node:fs/promises");
  if (!files) throw new TypeError("Paths need Node (from 20.16), Bun or Deno: pass a Blob or a stream.");
  return files as NodeFiles;
}
