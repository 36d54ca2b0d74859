import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { TestUser } from "../../support/service.ts";
import { boundary } from "../../support/uploads.ts";

/** The first lines of a request whose body has not begun. */
export const head = (address: string, contentType: string, user?: TestUser): readonly string[] => [
  `POST ${address} HTTP/1.1`,
  "Host: x",
  ...(user ? [`Authorization: Bearer ${user.accessToken}`] : []),
  `Content-Type: ${contentType}`,
  `Content-Length: ${user ? 90_000 : 9_000}`,
  "",
];

export const startOfLogin = (): readonly string[] => [...head("/api/auth/login", "application/json"), '{"email":"'];

export const startOfForm = (path: string, user: TestUser): readonly string[] => [
  ...head(path, `multipart/form-data; boundary=${boundary}`, user),
  `--${boundary}`,
  'Content-Disposition: form-data; name="file"; filename="a.wav"',
  "",
  "RIFF",
];

export function open(lines: readonly string[], { port }: { readonly port: number }): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.write(lines.join("\r\n"));
  return socket;
}

/** Everything that the server sends until it closes the connection. */
export async function responseOf(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (data) => {
    text += data;
  });
  await once(socket, "close");
  return text;
}
