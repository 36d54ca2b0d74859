import { readFile } from "node:fs/promises";
import type { Client } from "../index.ts";
import { UsageError } from "./exit-codes.ts";

export type ExportBody = Parameters<Client["api"]["exports"]["$post"]>[0]["json"];

export type RequestOptions = { readonly project?: string; readonly work?: string };

/** Reads an export request from a file, or from stdin for `-`; the options replace its project and work. */
export async function readRequest(path: string, { project, work }: RequestOptions): Promise<ExportBody> {
  // safe because the service validates the rest, and reports errors
  const request = (await readObject(path)) as ExportBody;
  return {
    ...request,
    ...(project !== undefined && { projectId: project }),
    ...(work !== undefined && { workId: work }),
  };
}

/** Reads a JSON object from a file, or from the standard input for `-`. */
export async function readObject(path: string): Promise<object> {
  const text = await readText(path);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${(error as Error).message}`);
  }
  throw new UsageError(`${path} holds no request.`);
}

async function readText(path: string): Promise<string> {
  if (path !== "-") return readFile(path, "utf8");
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) text += chunk;
  return text;
}
