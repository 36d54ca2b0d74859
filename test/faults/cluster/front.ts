import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { runProgram, waitUntil } from "./programs.ts";

/** nginx before the processes that serve requests. */
export async function startFront(folder: string, port: number, upstreams: readonly string[]) {
  const nginx = Bun.which("nginx", { PATH: `${process.env.PATH}:/usr/sbin` });
  if (!nginx) throw new Error("nginx is not installed.");
  const home = join(folder, "front");
  await mkdir(home, { recursive: true });
  const config = join(home, "nginx.conf");
  await Bun.write(config, configuration(home, port, upstreams));
  const running = runProgram({
    command: [nginx, "-p", home, "-c", config],
    cwd: home,
    logPath: join(folder, "nginx.log"),
  });
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

/** A request that an upstream did not take goes to the other one; no upstream is ever left out for a time. */
const configuration = (home: string, port: number, upstreams: readonly string[]) => `
user root; worker_processes 1; daemon off; pid ${home}/nginx.pid; error_log stderr error;
events { worker_connections 512; }
http {
  access_log off;
  client_body_temp_path ${home}/bodies; proxy_temp_path ${home}/responses; fastcgi_temp_path ${home}/fastcgi;
  uwsgi_temp_path ${home}/uwsgi; scgi_temp_path ${home}/scgi;
  upstream api { ${upstreams.map((url) => `server ${new URL(url).host} max_fails=0;`).join(" ")} }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 0;
    location / {
      proxy_pass http://api;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_buffering off;
      proxy_connect_timeout 2s;
      proxy_read_timeout 300s;
    }
  }
}
`;
