// The state of the service, the film's own controls, and the playhead of its timeline.

const find = (id) => document.getElementById(id);

const fps = 30;
const healthPeriodMs = 10_000;

function showHealth(state, text) {
  find("health").dataset.state = state;
  const shown = find("health-text");
  // the same text again would be read aloud again
  if (shown.textContent !== text) shown.textContent = text;
}

async function readHealth() {
  try {
    const response = await fetch("/api/ready", { cache: "no-store" });
    const { checks = {} } = await response.json();
    const failing = Object.keys(checks).filter((name) => checks[name] !== "ok");
    if (response.ok) showHealth("ready", `This service is ready: ${Object.keys(checks).join(", ")}.`);
    else showHealth("failing", `This service is not ready. It fails in: ${failing.join(", ") || "an unknown part"}.`);
  } catch {
    showHealth("failing", "This service does not answer.");
  }
}

function repeatWhileVisible(run, periodMs) {
  run();
  setInterval(() => document.hidden || run(), periodMs);
  document.addEventListener("visibilitychange", () => document.hidden || run());
}

const film = find("film");

/** The browser's controls stay for pages without scripts. */
function takeOverControls() {
  film.controls = false;
  find("controls").hidden = false;
  const play = find("play");
  const sound = find("sound");
  const show = () => {
    play.dataset.state = film.paused ? "paused" : "playing";
    play.setAttribute("aria-label", film.paused ? "Play the film" : "Pause the film");
    sound.setAttribute("aria-pressed", String(!film.muted));
  };
  const toggle = () => (film.paused ? start() : film.pause());
  play.addEventListener("click", toggle);
  film.addEventListener("click", toggle);
  sound.addEventListener("click", () => {
    film.muted = !film.muted;
    if (!film.muted) start();
  });
  for (const event of ["play", "pause", "volumechange"]) film.addEventListener(event, show);
  show();
}

// a browser that saves power may refuse
const start = () => film.play().catch(() => {});

/** Plays without being asked only if the reader has not asked for less motion. */
function playAutomatically() {
  const reduced = matchMedia("(prefers-reduced-motion: reduce)");
  if (!reduced.matches) start();
  reduced.addEventListener("change", () => reduced.matches && film.pause());
}

function followFilm() {
  const timeline = find("timeline");
  const clips = [...timeline.querySelectorAll("button")];
  const starts = clips.map((clip) => Number(clip.dataset.start));
  const show = () => {
    const { currentTime, duration } = film;
    const part = duration ? currentTime / duration : 0;
    find("playhead").style.left = `${100 * part}%`;
    find("frame").textContent = String(Math.floor(currentTime * fps)).padStart(3, "0");
    const current = starts.findLastIndex((seconds) => seconds <= currentTime + 0.001);
    for (const [index, clip] of clips.entries()) clip.toggleAttribute("data-current", index === current);
  };
  const follow = () => {
    show();
    if (!film.paused) requestAnimationFrame(follow);
  };
  film.addEventListener("play", follow);
  for (const event of ["seeked", "loadedmetadata"]) film.addEventListener(event, show);
  for (const [index, clip] of clips.entries()) {
    clip.addEventListener("click", () => {
      film.currentTime = starts[index];
    });
  }
  show();
}

takeOverControls();
followFilm();
playAutomatically();
repeatWhileVisible(readHealth, healthPeriodMs);
