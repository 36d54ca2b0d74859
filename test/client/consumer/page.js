import { makeFilm } from "./film.js";

const { searchParams } = new URL(location.href);
const clip = await (await fetch("/clip.mp4")).blob();
const result = await makeFilm(searchParams.get("service"), clip).catch((error) => ({ failure: String(error) }));
await fetch("/result", { method: "POST", body: JSON.stringify(result) });
