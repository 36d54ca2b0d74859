import { ApiError, connect, unwrap } from "reelwright";

/** Makes a video with the package, as a program in Node or in a browser would. `file` is a Blob or a path. */

/**
 * @param {string} url
 * @param {Blob | string} file
 * @param {string} [path] output file; by default the video is returned as a Blob
 */
export async function makeFilm(url, file, path) {
  const email = `ann.${Math.random()}@example.com`;
  const guest = connect(url).api;
  const { accessToken, refreshToken } = await unwrap(
    guest.auth.register.$post({ json: { email, password: "a good long password", name: "Ann" } }),
  );
  const client = connect(url, { session: { accessToken: `${accessToken}-no-longer-valid`, refreshToken } });
  const { api } = client;

  const { id: projectId } = await unwrap(api.projects.$post({ json: { name: "Launch" } }));
  const { id: workId } = await unwrap(api.projects[":projectId"].works.$post({ param: { projectId }, json: {} }));
  let sentBytes = 0;
  const asset = await client.uploadFile({ projectId }, file, {
    filename: "clip.mp4",
    tags: ["b-roll"],
    onProgress: (progress) => {
      sentBytes = progress.sentBytes;
    },
  });
  await client.uploadFile({ projectId, workId, slot: "scene/0/video" }, file);

  const clips = [{ sceneIndex: 0, position: 0, end: 0.5 }];
  const options = { width: 32, height: 18, fps: 10 };
  const started = await unwrap(api.exports.$post({ json: { projectId, workId, clips, options } }));
  const job = await client.waitForExport(started.id);
  const film = path === undefined ? await client.downloadExport(started.id) : undefined;
  if (path !== undefined) await client.downloadExport(started.id, { to: path });

  const errors = [
    await codeOf(unwrap(api.projects.$post({ json: { name: "" } }))),
    await codeOf(client.waitForExport("exp_unknown")),
  ];
  const steps = { uploaded: sentBytes > 0 && asset.size === sentBytes, exported: job.status };
  return { steps, errors, bytes: film?.size ?? ("size" in job ? job.size : 0) };
}

/** @param {Promise<unknown>} request */
async function codeOf(request) {
  try {
    await request;
    return "";
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error);
  }
}
