import type { Context } from "hono";
import type { AppEnv } from "../app-env.ts";
import { templatePath } from "../files/internal-urls.ts";
import { sendBytes } from "../response/send-file.ts";

/** A template as callers see it, with the URL of its picture. */
export const templateView = <Template extends { readonly id: string; readonly thumbnail?: string }>(
  projectId: string,
  template: Template,
) => ({ ...template, thumbnail: template.thumbnail ?? `${templatePath(projectId, template.id)}/thumbnail` });

export const sendPicture = (
  c: Context<AppEnv>,
  { bytes, hash }: { readonly bytes: Uint8Array; readonly hash: string },
  name: string,
): Promise<Response> => sendBytes(c, { bytes, mimeType: "image/webp", filename: `${name}.webp`, contentHash: hash });
