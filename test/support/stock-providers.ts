import { fakeServer } from "./models/fake-server.ts";

/** What a stand-in does instead of its work. */
type Fault = (() => Response | Promise<Response>) | undefined;

type Files = { readonly image: () => Promise<Uint8Array>; readonly video: () => Promise<Uint8Array> };

/** Takes only the parameters of the published descriptions, with their values. */
function requireOnly(parameters: URLSearchParams, allowed: Readonly<Record<string, RegExp>>): void {
  for (const [name, value] of parameters) {
    if (!allowed[name]?.test(value)) throw new Error(`The parameter ${name} must not be ${value}.`);
  }
}

const paging = { page: /^[1-9]\d*$/, per_page: /^\d+$/ };

/** Pexels and Pixabay, as their APIs are described. Each has the items 101 (an image) and 102 (a video). */
export function stockProviders(files: Files) {
  const script = { fault: undefined as Fault, fileFault: undefined as Fault, fileUrl: undefined as string | undefined };
  const queries: string[] = [];
  const violations: string[] = [];
  const checked = (key: string | null, url: URL, answer: () => unknown, refusal: () => Response) => {
    if (script.fault) return script.fault();
    queries.push(url.pathname + url.search);
    try {
      return key === "a-key" ? Response.json(answer()) : refusal();
    } catch (error) {
      violations.push(String(error));
      return new Response("bad", { status: 400 });
    }
  };
  const address = (name: string) => script.fileUrl ?? `${server.url}/files/${name}`;

  const photo = () => ({
    ...{ id: 101, width: 4000, height: 3000, url: "https://www.pexels.com/photo/a-cup-101/", alt: "A cup" },
    ...{ photographer: "Ann", photographer_url: "https://www.pexels.com/@ann", photographer_id: 7 },
    ...{ avg_color: "#333333", liked: false },
    src: { original: address("101.png"), medium: `${server.url}/files/101-small.png` },
  });
  const rendition = (width: number, height: number, link: string) => ({ id: 1, quality: "hd", width, height, link });
  const pexelsVideo = () => ({
    ...{ id: 102, width: 3840, height: 2160, duration: 12, url: "https://www.pexels.com/video/102/" },
    image: `${server.url}/files/102.png`,
    user: { id: 7, name: "Ann", url: "https://www.pexels.com/@ann" },
    video_files: [
      { ...rendition(3840, 2160, address("4k.mp4")), file_type: "video/mp4" },
      { ...rendition(1920, 1080, address("102.mp4")), file_type: "video/mp4" },
      { ...rendition(640, 360, address("small.mp4")), file_type: "video/mp4" },
      { ...rendition(1920, 1080, address("stream.m3u8")), file_type: "application/x-mpegURL" },
    ],
  });
  const pexelsSearch = (list: object) => (url: URL) => {
    requireOnly(url.searchParams, { query: /./, orientation: /^(landscape|portrait|square)$/, ...paging });
    const page = Number(url.searchParams.get("page"));
    const next = page < 2 && { next_page: `${server.url}${url.pathname}?page=${page + 1}` };
    return { page, per_page: 24, total_results: 30, ...list, ...next };
  };

  const hit = (id: number) => ({
    ...{ id, pageURL: `https://pixabay.com/x-${id}/`, type: "photo", tags: "cup, table", user: "Bo", user_id: 9 },
    ...{ views: 1, downloads: 1, likes: 1, comments: 1 },
  });
  const pixabayImage = () => ({
    ...hit(101),
    ...{ previewURL: `${server.url}/files/t.png`, webformatURL: `${server.url}/files/w.png` },
    ...{ largeImageURL: address("101.png"), imageWidth: 4000, imageHeight: 3000, imageSize: 1 },
  });
  const pixabayRendition = (name: string, width: number, height: number) => ({
    ...{ url: name && address(name), width, height, size: 1, thumbnail: name && `${server.url}/files/${name}.jpg` },
  });
  const pixabayVideo = () => ({
    ...{ ...hit(102), type: "film", duration: 12 },
    videos: {
      large: pixabayRendition("", 0, 0),
      medium: pixabayRendition("102.mp4", 1920, 1080),
      small: pixabayRendition("small.mp4", 1280, 720),
      tiny: pixabayRendition("tiny.mp4", 960, 540),
    },
  });
  const pixabay = (item: () => { id: number }, extra: Readonly<Record<string, RegExp>>) => (url: URL) => {
    const allowed = { key: /./, q: /^.{1,100}$/, id: /^\d+$/, safesearch: /^true$/, ...paging, ...extra };
    requireOnly(url.searchParams, allowed);
    const id = url.searchParams.get("id");
    const hits = id === null || id === `${item().id}` ? [item()] : [];
    return { total: 100, totalHits: id === null ? 30 : hits.length, hits };
  };

  const unauthorized = () => Response.json({ status: 401, code: "Unauthorized" }, { status: 401 });
  const noKey = () =>
    new Response("[ERROR 400] Invalid or missing API key (https://pixabay.com/api/docs/).", { status: 400 });
  const missing = (url: URL) => {
    queries.push(url.pathname);
    return Response.json({ status: 404, code: "Not Found" }, { status: 404 });
  };
  const file = async (read: () => Promise<Uint8Array>) =>
    script.fileFault?.() ?? new Response(new Uint8Array(await read()));

  const pexelsRoute = (answer: (url: URL) => unknown) => (request: { headers: Headers; url: URL }) =>
    checked(request.headers.get("authorization"), request.url, () => answer(request.url), unauthorized);
  const pixabayRoute = (answer: (url: URL) => unknown) => (request: { url: URL }) =>
    checked(request.url.searchParams.get("key"), request.url, () => answer(request.url), noKey);

  const server = fakeServer({
    "GET /v1/search": pexelsRoute(
      pexelsSearch({
        get photos() {
          return [photo()];
        },
      }),
    ),
    "GET /videos/search": pexelsRoute(
      pexelsSearch({
        get videos() {
          return [pexelsVideo()];
        },
      }),
    ),
    "GET /v1/photos/101": pexelsRoute(photo),
    "GET /videos/videos/102": pexelsRoute(pexelsVideo),
    "GET /v1/photos/:id": ({ url }) => missing(url),
    "GET /api/": pixabayRoute(pixabay(pixabayImage, { orientation: /^(horizontal|vertical)$/ })),
    "GET /api/videos/": pixabayRoute(pixabay(pixabayVideo, {})),
    "GET /files/101.png": () => file(files.image),
    "GET /files/102.mp4": () => file(files.video),
  });
  return { ...server, script, queries, violations };
}
