import { png } from "../../support/uploads.ts";

/** A site with pictures, some of which change. */
export function pictureShop() {
  const pictures = new Map<string, File>([
    ["/red.png", png(8, 8, "#ff0000")],
    ["/blue.png", png(8, 8, "#0000ff")],
  ]);
  const asked: string[] = [];
  const shop = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      const picture = pictures.get(pathname);
      return picture ? new Response(picture) : new Response("none", { status: 404 });
    },
  });
  const at = (path: string) => `http://127.0.0.1:${shop.port}${path}`;
  const settings = { FETCH_EXTRA_PORTS: `${shop.port}`, ALLOW_PRIVATE_NETWORK: "true" };
  return { pictures, asked, at, settings, stop: () => shop.stop(true) };
}
