import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";

const project = resolve(import.meta.dir, "../../..");
const modules = ["src", "node_modules"].map((name) => join(project, name));

/** Programs and what they load: the system's, Bun, and our own with their packages. None of it is secret. */
export const executables: readonly string[] = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache"],
  process.execPath,
  ...modules,
];

/** Random numbers, a process's data about itself and about the machine's size, and the user's own fonts. */
export const readable: readonly string[] = [
  ...["/dev/urandom", "/dev/random", "/dev/zero"],
  ...["/proc/self", "/proc/meminfo", "/proc/stat", "/proc/cpuinfo", "/proc/sys/vm"],
  ...["/sys/devices/system/cpu", "/sys/kernel/mm", "/sys/fs/cgroup"],
  ...[".fonts", ".local/share/fonts"].map((name) => join(homedir(), name)),
];

let folder: string | undefined;

/**
 * The arguments with which Bun runs one of our programs in a sandbox, by its absolute path: `folder` has to be
 * readable. To find packages, Bun lists every folder above a module, and Landlock has no right to list one folder
 * without its contents, such as the names of stored files. So programs run in a folder of links to our modules.
 */
export function programIn(path: string): { readonly args: readonly string[]; readonly folder: string } {
  // temporary folders may be cleaned up
  if (!folder || !existsSync(join(folder, "run.ts"))) folder = makeFolder();
  const args = ["--preserve-symlinks", join(folder, "run.ts"), `./${relative(project, path)}`];
  return { args, folder };
}

const folderPrefix = "reelwright-programs-";

function makeFolder(): string {
  removeFoldersOfKilled();
  const made = mkdtempSync(join(tmpdir(), `${folderPrefix}${process.pid}-`));
  for (const module of modules) symlinkSync(module, join(made, relative(project, module)));
  writeFileSync(join(made, "run.ts"), "await import(process.argv.splice(1, 1) && process.argv[1]);\n");
  process.on("exit", () => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** A killed process leaves its folder. */
function removeFoldersOfKilled(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(folderPrefix) ? Number.parseInt(name.slice(folderPrefix.length), 10) : Number.NaN;
    if (Number.isNaN(pid) || isRunning(pid)) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // belongs to another user
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
