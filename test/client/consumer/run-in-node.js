import { makeFilm } from "./film.js";

process.stdout.write(JSON.stringify(await makeFilm(process.argv[2], "clip.mp4", "film.mp4")));
