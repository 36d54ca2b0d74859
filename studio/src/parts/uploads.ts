import { type Asset, pageHeader } from "../api.ts";

/** Uploads a file as an asset of a project; `fetch` would not tell how far it is. */
export function uploadAsset(projectId: string, file: File, onProgress: (part: number) => void): Promise<Asset> {
  const { promise, resolve, reject } = Promise.withResolvers<Asset>();
  const request = new XMLHttpRequest();
  request.open("POST", `/api/projects/${projectId}/assets`);
  for (const [name, value] of Object.entries(pageHeader)) request.setRequestHeader(name, value);
  request.responseType = "json";
  request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0));
  request.addEventListener("load", () => {
    if (request.status === 201) resolve(request.response);
    else reject(new Error(request.response?.error ?? request.statusText));
  });
  request.addEventListener("error", () => reject(new TypeError("offline")));
  const form = new FormData();
  form.set("file", file);
  request.send(form);
  return promise;
}
