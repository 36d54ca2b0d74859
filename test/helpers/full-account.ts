import { sql } from "drizzle-orm";
import { jsonClient } from "./json-client.ts";
import type { TestService, TestUser } from "./service.ts";
import { formOf, mp4, png, wav } from "./uploads.ts";
import { newWork, requireJson } from "./work-videos.ts";

/** A receiver of webhooks, and the settings with which a service may send them to it. */
export function webhookReceiver() {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(null, { status: 204 }) });
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    variables: { ALLOW_PRIVATE_NETWORK: "true", FETCH_EXTRA_PORTS: `${server.port}` },
    stop: () => server.stop(true),
  };
}

/** A user with a row in every table that archives hold, made over HTTP. */
export async function fullAccount(service: TestService, user: TestUser, webhookUrl: string) {
  const request = jsonClient(user);
  const work = await newWork(user, { name: "Film ✓", productName: "Tea" });
  const { projectId, workId } = work;
  const styleGuide = { tone: "warm", color_palette: ["#ff8800"], 10: "ten", 2: "two" };
  await request("PUT", `/api/projects/${projectId}`, { styleGuide, knowledge: "line\none", projectType: "saas" });
  await work.scene(0, await mp4());
  await work.audio(wav());
  const asset = await requireJson(
    user.request(`/api/projects/${projectId}/assets`, {
      method: "POST",
      body: formOf({ file: png(64, 32), name: "Logo", tags: ["brand"] }),
    }),
  );
  const overlay = { assetId: asset.id, timingMode: "relative", width: 8, height: 8 };
  const content = { textOverlays: [], imageOverlays: [{ id: "logo", ...overlay }] };
  const template = await request("POST", `/api/projects/${projectId}/templates`, { name: "Intro", content });
  await request("POST", `/api/projects/${projectId}/works/${workId}/apply-template`, { templateId: template.body.id });
  const token = await request("POST", "/api/tokens", { name: "CI", scopes: ["projects:read"] });
  const image = await request("POST", "/api/generate/image", {
    prompt: "a cup",
    resolution: { width: 64, height: 64 },
  });

  const clips = [{ sceneIndex: 0, position: 0, end: 0.4 }];
  const film = { projectId, workId, clips, options: { width: 32, height: 18, fps: 10 } };
  const webhook = { url: webhookUrl, secret: "a secret that signs events" };
  const { body: job } = await request("POST", "/api/exports", { ...film, webhook });
  while ((await request("GET", `/api/exports/${job.id}/webhook`)).body.state !== "delivered") await Bun.sleep(20);
  await service.db.execute(sql`insert into upstream_calls (id, user_id, provider, model, purpose, milliseconds, outcome,
    seconds, created_at) values (${`call_${crypto.randomUUID().replaceAll("-", "")}`}, ${user.user.id}, 'openai', 'm',
    'image', 5, 'ok', 0.5, 7)`);
  return { ...work, asset, film, exportId: job.id as string, token: token.body.token as string, image: image.body };
}

export type FullAccount = Awaited<ReturnType<typeof fullAccount>>;
