import { Hono } from "hono";
import type { AppEnv } from "../app-env.ts";
import { staticFile } from "../response/static-file.ts";

/** Allows this service only, so that the page works in closed networks and reveals no reader to others. */
const contentSecurityPolicy = [
  "default-src 'none'",
  ...["script-src", "style-src", "img-src", "media-src", "font-src", "connect-src"].map((kind) => `${kind} 'self'`),
  ...["frame-ancestors", "base-uri", "form-action"].map((kind) => `${kind} 'none'`),
].join("; ");

const own = (name: string) => new URL(name, import.meta.url);

/** Inter, the font of the sample video. */
const inter = (file: string) => new URL(import.meta.resolve(`@expo-google-fonts/inter/${file}`));

const dayInSeconds = 86_400;

/** The page at `/`: describes the service, shows its readiness and a sample video, and links to the documents. */
export const homeRoutes = () =>
  new Hono<AppEnv>()
    .get(
      "/",
      staticFile({
        url: own("index.html"),
        mimeType: "text/html; charset=utf-8",
        headers: { "Content-Security-Policy": contentSecurityPolicy },
      }),
    )
    .get("/home/style.css", staticFile({ url: own("style.css"), mimeType: "text/css; charset=utf-8" }))
    .get("/home/script.js", staticFile({ url: own("script.js"), mimeType: "text/javascript; charset=utf-8" }))
    .get("/home/icon.svg", staticFile({ url: own("icon.svg"), mimeType: "image/svg+xml", maxAgeSeconds: dayInSeconds }))
    .get("/home/film.mp4", staticFile({ url: own("film.mp4"), mimeType: "video/mp4", maxAgeSeconds: dayInSeconds }))
    .get("/home/clip.mp4", staticFile({ url: own("clip.mp4"), mimeType: "video/mp4", maxAgeSeconds: dayInSeconds }))
    .get(
      "/home/poster.jpg",
      staticFile({ url: own("poster.jpg"), mimeType: "image/jpeg", maxAgeSeconds: dayInSeconds }),
    )
    .get(
      "/home/filmstrip.jpg",
      staticFile({ url: own("filmstrip.jpg"), mimeType: "image/jpeg", maxAgeSeconds: dayInSeconds }),
    )
    .get(
      "/home/inter-regular.ttf",
      staticFile({ url: inter("400Regular/Inter_400Regular.ttf"), mimeType: "font/ttf", maxAgeSeconds: dayInSeconds }),
    )
    .get(
      "/home/inter-extrabold.ttf",
      staticFile({
        url: inter("800ExtraBold/Inter_800ExtraBold.ttf"),
        mimeType: "font/ttf",
        maxAgeSeconds: dayInSeconds,
      }),
    );
