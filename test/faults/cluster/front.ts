import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { runProgram, waitUntil } from "./programs.ts";

const shipped = join(import.meta.dir, "../../../deploy/nginx.conf");

/** nginx before the processes that serve requests, with the configuration of deploy/. */
export async function startFront(folder: string, port: number, upstreams: readonly string[]) {
  const nginx = Bun.which("nginx", { PATH: `${process.env.PATH}:/usr/sbin` });
  if (!nginx) throw new Error("nginx is not installed.");
  const home = join(folder, "front");
  await mkdir(home, { recursive: true });
  const config = join(home, "nginx.conf");
  await Bun.write(config, (await readFile(shipped, "utf8")).replace(/listen \d+/, `listen 127.0.0.1:${port}`));
  const servers = upstreams.map((url) => `server ${new URL(url).host} max_fails=3 fail_timeout=2s;\n`);
  await Bun.write(join(home, "upstream.conf"), servers.join(""));
  const command = [nginx, "-p", home, "-c", config, "-g", "daemon off;"];
  const running = runProgram({ command, cwd: home, logPath: join(folder, "nginx.log") });
  const url = `http://127.0.0.1:${port}`;
  const responds = () =>
    fetch(`${url}/api/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  if (!(await waitUntil(responds, 20_000))) throw new Error("nginx did not start: see nginx.log.");
  return {
    url,
    async end() {
      running.kill("SIGQUIT");
      await Promise.race([running.exited, Bun.sleep(2_000)]);
      running.kill("SIGKILL");
    },
  };
}
