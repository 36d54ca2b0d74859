/** What agents guess from other services, and what it is called here. */
export const guesses: readonly (readonly [guess: string, here: string])[] = [
  [
    "`timeline.tracks[].clips[]` (Shotstack)",
    "`clips[]` for the scenes, `layers[]` for all else; the last layer lies on top",
  ],
  [
    "`asset: { type, src }`",
    '`type: "image" \\| "video" \\| "text" …` and `assetId` on the layer itself; upload files first',
  ],
  ["`start`, `length`", "`position`, `end`: both in seconds on the timeline"],
  ["`trim`, `trim_start`, `startFrom`, `-ss`", "`cutFrom`, seconds into the source"],
  [
    '`offset` as shares, `x: "50%"`, `vw`, `vmin`',
    "`centerX`, `centerY`: pixels from the middle of the frame, to the right and down",
  ],
  ["`x_anchor`, `transformOrigin`", "`anchor: { x, y }`, shares of the box"],
  ["`z_rotation`, `transform.rotate.angle`", "`rotation`, degrees clockwise"],
  ['`fit: "crop"`, `objectFit: "cover"`', '`fit: "cover"`; `contain` and `stretch` as well'],
  ["`font.family`, `font_family`, `font.size`, `fill_color`", "`fontFamily`, `fontSize` (pixels), `fontColor`"],
  ["`font_size: null` (fills its box)", '`fontSize: "auto"` with `width` and `height`'],
  ["`background_color` of a text", "`background`, `padding`, `radius`"],
  [
    "`transition: { in, out }`, `animations[]`",
    "`enter`, `exit`, `loop`: a name, or `{ name, seconds, … }`; see `GET /api/motion`",
  ],
  [
    "a transition between two clips, `xfade`",
    "`transition` and `transitionDuration` on the first of the two clips; it moves nothing",
  ],
  [
    "tweens, `interpolate()`, keyframe arrays on a property",
    "`keyframes: { opacity: [{ at, value, easing }] }`, `at` in seconds from the layer's `position`",
  ],
  ["`easeOutBack`, `quadratic-out`", "`out-back`, `out-quad`, also `cubic-bezier(…)` and `spring(…)`"],
  ['`effect: "zoomIn"`, Ken Burns', '`move: "zoom-in"` on a clip, `keyframes.zoom` on an image layer'],
  ["`composition`, `<Sequence>`", '`type: "group"` with `layers` on a clock of its own'],
  ["`<AbsoluteFill>`, JSX, CSS", '`type: "html"` with `html` and `css`; no script runs'],
  ["`mask_mode`, luma assets", '`mask: { layer: id, by: "luma" }`, or a shape, or an `assetId`'],
  [
    "`soundtrack`, `audio` elements, `amix`",
    '`sounds[]`, each with `role: "music" \\| "effect" \\| "voice"`; `audio` is the work\'s music',
  ],
  ['`volume: "50%"`', "`volume: 0.5`, from 0 to 4"],
  ["`output.size`, `width`, `-s`", "`options: { width, height }`: even numbers of pixels"],
  ["`output.format`, `output_format`", "`options.format`"],
  ["`durationInFrames`", "seconds, everywhere; `options.duration` of a film without clips"],
  ["`merge`, `modifications`, `inputProps`", "placeholders `{{key}}` in texts, and a table: `POST …/batches`"],
  ["`callback`, `webhook_url`", "`webhook: { url, secret }` of `POST /api/exports`"],
  [
    "a whole edit of Shotstack, Creatomate or editly",
    "`POST /api/projects/{projectId}/works/from-edit`, with a report of what differs",
  ],
];

export const checklist: readonly string[] = [
  "`projectId` and `workId` exist, and every `assetId` is one of the project: upload first.",
  "`clips: []` for a film of layers alone; leave `clips` out to export what the editor has saved.",
  "Every `end` is later than its `position`; without clips some layer has an `end`, or `options.duration` is there.",
  "`width` and `height` are even, from 16 to 4096; colors are CSS colors; opacities and shares are 0 to 1.",
  "An entrance and an exit fit between `position` and `end`, and leave time to read: three words a second.",
  "Names of moves, easings and transitions are those of `GET /api/motion` and of the schema: there are no others.",
  "`POST /api/export/validate` with the same body answers `ok: true`; then look at `POST /api/export/frame?t=1`.",
];

type FirstRequest = {
  readonly title: string;
  readonly method: "POST";
  readonly path: string;
  readonly body: object;
};

const reference = { projectId: "<projectId>", workId: "<workId>" };

/** Whole requests that work once the ids in angle brackets are real: a fact sends each of them. */
export const firstRequests: readonly FirstRequest[] = [
  {
    title: "A title and a price, without footage",
    method: "POST",
    path: "/api/exports",
    body: {
      ...reference,
      clips: [],
      options: { width: 1080, height: 1920, fps: 30, background: "#14142b" },
      layers: [
        {
          ...{ type: "text", text: "Fresh every morning", position: 0, end: 4, centerY: -200, fontSize: 84 },
          ...{ maxWidth: 900, enter: { name: "reveal", by: "word", seconds: 0.8 }, exit: "fade" },
        },
        {
          ...{ type: "text", text: "€ 4.90", position: 1, end: 4, centerY: 200, fontSize: 120, fontColor: "#ffb347" },
          ...{ enter: { name: "count", from: 0 }, exit: "fade" },
        },
      ],
    },
  },
  {
    title: "A picture that is slowly zoomed, with a lower third over it",
    method: "POST",
    path: "/api/exports",
    body: {
      ...reference,
      clips: [],
      options: { width: 1080, height: 1920, fps: 30 },
      layers: [
        {
          ...{ type: "image", assetId: "<imageId>", position: 0, end: 5, width: 1080, height: 1920, fit: "cover" },
          keyframes: {
            zoom: [
              { at: 0, value: 1 },
              { at: "100%", value: 1.2, easing: "in-out-sine" },
            ],
          },
        },
        {
          ...{
            type: "group",
            position: 1,
            end: 4.5,
            width: 760,
            height: 150,
            centerY: 560,
            enter: "slide",
            exit: "fade",
          },
          layers: [
            { type: "shape", shape: "rect", fill: "#fff8f0", radius: 24 },
            {
              type: "text",
              text: "Ann Lee, head of roasting",
              fontSize: 44,
              fontColor: "#14142b",
              shadowColor: "transparent",
            },
          ],
        },
      ],
    },
  },
  {
    title: "Two videos side by side, with music that fades",
    method: "POST",
    path: "/api/exports",
    body: {
      ...reference,
      clips: [],
      options: { width: 1280, height: 720, fps: 30, duration: 4 },
      layers: [
        {
          type: "video",
          assetId: "<videoId>",
          end: 4,
          width: 640,
          height: 720,
          centerX: -320,
          fit: "cover",
          volume: 0,
        },
        {
          ...{
            type: "video",
            assetId: "<videoId>",
            end: 4,
            width: 640,
            height: 720,
            centerX: 320,
            fit: "cover",
            volume: 0,
          },
          ...{ cutFrom: 0.1, filter: { grayscale: 1 }, enter: { name: "wipe", direction: "down" } },
        },
      ],
      sounds: [{ assetId: "<soundId>", role: "music", volume: 0.6, repeat: true, end: 4, fadeOut: 1 }],
    },
  },
  {
    title: "A film for each row of a table: validate it, then send the same to `/batches`",
    method: "POST",
    path: "/api/projects/<projectId>/batches/validate",
    body: {
      base: {
        workId: "<workId>",
        export: {
          clips: [],
          options: { width: 1080, height: 1080, background: "#14142b" },
          layers: [{ type: "text", text: "{{name}}: {{price}}", position: 0, end: 3, fontSize: 72, enter: "pop" }],
        },
      },
      rows: [
        { name: "Kettle", price: "€ 49" },
        { name: "Stool", price: "€ 89" },
      ],
    },
  },
  {
    title: "An edit of another service becomes a work",
    method: "POST",
    path: "/api/projects/<projectId>/works/from-edit",
    body: {
      timeline: {
        background: "#14142b",
        tracks: [
          {
            clips: [
              {
                asset: { type: "text", text: "{{ NAME }}", font: { family: "Inter", size: 72, color: "#ffffff" } },
                ...{ start: 0, length: 3, transition: { in: "fade", out: "fade" } },
              },
            ],
          },
        ],
      },
      output: { format: "mp4", size: { width: 1080, height: 1920 } },
      merge: [{ find: "NAME", replace: "Copper kettle" }],
    },
  },
];
