import { join } from "node:path";

/** Serves one file of a folder at every path. Undefined where nginx is not installed. */
export async function startNginx(folder: string, file: string) {
  const nginx = Bun.which("nginx", { PATH: `${process.env.PATH}:/usr/sbin` });
  if (!nginx) return undefined;
  const port = freePort();
  const config = join(folder, "nginx.conf");
  await Bun.write(
    config,
    // one process, as the service; root's files are for root only; by default nginx closes a connection after 1,000 requests
    `user root; worker_processes 1; daemon off; pid ${folder}/nginx.pid; error_log stderr warn;
    events { worker_connections 512; }
    http { sendfile on; access_log off; keepalive_requests 1000000;
      server { listen 127.0.0.1:${port}; root ${folder}; rewrite ^ /${file} break; } }`,
  );
  const child = Bun.spawn([nginx, "-p", folder, "-c", config], { stdout: "ignore", stderr: "inherit" });
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(url, { method: "HEAD" }).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error("nginx did not start.");
  }
  const stop = async () => {
    child.kill("SIGTERM");
    await child.exited;
  };
  return { url, stop };
}

function freePort() {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = server;
  void server.stop(true);
  return port;
}
