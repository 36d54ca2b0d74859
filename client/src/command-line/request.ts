import { readFile } from "node:fs/promises";
import type { Client } from "../index.ts";
import { UsageError } from "./exit-codes.ts";

export type ExportBody = Parameters<Client["api"]["exports"]["$post"]>[0]["json"];

export type RequestOptions = { readonly project?: string; readonly work?: string };

/** The export request of a file, or of the standard input for `-`; the options replace its project and work. */
export async function readRequest(path: string, { project, work }: RequestOptions): Promise<ExportBody> {
  const request = parse(await readText(path), path);
  return {
    ...request,
    ...(project !== undefined && { projectId: project }),
    ...(work !== undefined && { workId: work }),
  };
}

async function readText(path: string): Promise<string> {
  if (path !== "-") return readFile(path, "utf8");
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) text += chunk;
  return text;
}

function parse(text: string, path: string): ExportBody {
  try {
    const request: unknown = JSON.parse(text);
    // the service checks the rest, and says what is wrong with it
    if (typeof request === "object" && request !== null && !Array.isArray(request)) return request as ExportBody;
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${(error as Error).message}`);
  }
  throw new UsageError(`${path} holds no export request.`);
}
