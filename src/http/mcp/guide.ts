import { loopTable, type MoveType, moveTable } from "../../engine/ports.ts";

/** Instructions for models about all tools. */
export const instructions = `Makes short marketing videos. A project holds works (one video each), assets and templates.
The short way to a film: film_order with a brief, then film_status. A film from each row of a table: batch_validate, batch_order, batch_status. Step by step: projects_create, works_create with a brief, works_generate_scenario, works_generate_scene for each scene (or works_set_scene_media with your own files), export_frame or contact_sheet to look at it, export_validate, export_start, then export_status until status is done.
Times are seconds, sizes are pixels of the output frame. The provider local is the default, free, and needs no key; others cost the user's money: ask before you choose one. Deletions are for good: ask first.
The resource reelwright://guide has the shape of an export and examples.`;

const entrances = (wanted: MoveType): string =>
  Object.entries(moveTable)
    .flatMap(([name, { type }]) => (type === wanted ? [name] : []))
    .join(" ");

export const guide = `# How to make a video

1. \`projects_create\` with a name, and a \`styleGuide\` if the brand has one: \`style_guide_extract\` makes it from a text or a web page. \`projects_list\` finds an existing project.
2. \`works_create\` with the brief: \`productName\`, \`productDescription\`, \`targetAudience\`, \`language\`, \`videoDuration\` (seconds), \`sceneCount\`, \`resolution\` (pixels, even; 1080×1920 by default).
3. \`works_generate_scenario\` writes the scenes and saves them. To write them yourself, call \`works_update\` with \`scenes\`, each \`{ "duration_seconds": 3, "image_prompt": "…", "video_prompt": "…", "text_overlay": "…" }\`.
4. For each scene, by its index in \`scenes\` from 0: \`works_generate_scene\`, or \`works_set_scene_media\` with your own image or video. Your files become assets with \`assets_add_from_url\` or \`assets_upload\`.
5. Look at it: \`export_frame\` draws one frame, \`contact_sheet\` several. Correct texts and positions until it looks right.
6. \`export_validate\` names errors and warnings, such as text outside the frame.
7. \`export_start\`, then \`export_status\` until \`status\` is \`done\`. The result has a link to the MP4, or to a file of \`options.format\`: webm, mov or gif (also with \`options.background: "transparent"\`), mp3, wav, png, jpg.

## The shape of an export

\`export_frame\`, \`contact_sheet\`, \`export_validate\` and \`export_start\` take the same fields. Without \`clips\` they take the saved edit, or else all scenes one after another.

\`\`\`json
{
  "projectId": "proj_…", "workId": "work_…",
  "clips": [
    { "sceneIndex": 0, "position": 0, "end": 3, "transition": "fade", "transitionDuration": 0.5 },
    { "sceneIndex": 1, "position": 3, "end": 6 }
  ],
  "texts": [
    { "text": "Fresh every morning", "position": 0.5, "end": 2.8, "fontSize": 72, "centerY": -500, "animateIn": "fade" }
  ],
  "images": [{ "assetId": "asset_…", "position": 0, "end": 6, "width": 200, "x": 60, "y": 60 }],
  "audio": { "audioUrl": "/api/projects/proj_…/assets/asset_…", "volume": 0.6, "loop": true, "fadeOut": 1 },
  "voice": {},
  "captions": { "from": "voice", "style": "karaoke" },
  "options": { "fps": 30, "quality": "standard", "targets": ["9:16", "1:1"] }
}
\`\`\`

- \`position\` and \`end\` are seconds on the timeline. The video is as long as the largest \`end\` of its clips; gaps are black and silent. Without clips (\`[]\`) it is as long as \`options.duration\`, or ends with the last text, image, layer or sound; \`options.background\` is the color under everything.
- A transition goes from a clip to the next one and moves nothing.
- \`centerX\` and \`centerY\` are pixels from the center of the frame, to the right and down.
- \`voice\` plays the voices of the scenes: \`works_generate_voice\` speaks their \`voice_text\`, \`works_set_scene_media\` takes a recording. The music is lowered under them.
- \`sounds\` are heard at any time: \`[{ "assetId": "asset_…", "position": 2.4, "role": "effect" }]\`, with \`end\`, \`cutFrom\`, \`speed\` (the pitch stays), \`repeat\`, \`volume\`, \`keyframes.volume\`, \`fadeIn\`, \`fadeOut\`. A \`voice\` lowers all music; \`music\` is lowered as \`audio.duck\` says. \`assets_beats\` finds the beats of a sound.
- \`captions\` shows words in time: \`from: "voice"\`: the words as they are spoken, \`"script"\`: the \`voice_text\` or \`text_overlay\` of each scene without a voice, or \`words\`, \`srt\` or \`vtt\`. \`captions_make\` shows their lines and times.
- \`options.brand: true\` applies the \`brand\` of the project's style guide.
- \`quality: "draft"\` halves both sides and is fastest.
- \`targets\` makes one video for each aspect ratio from the same edit; \`targets\` of a text, image or layer, \`{ "1:1": { "centerY": 0, "fontSize": 60 } }\`, says what differs in one.

## Motion

\`layers\` hold texts, images, videos, shapes and groups that move; \`texts\`, \`images\` and \`layers\` share the fields of motion.

\`\`\`json
{
  "clips": [],
  "options": { "duration": 4, "background": "#101828" },
  "layers": [
    { "type": "shape", "shape": "rect", "width": 900, "height": 260, "radius": 40, "fill": "#ff6a3d",
      "enter": { "name": "wipe", "direction": "right" }, "exit": "fade" },
    { "type": "text", "text": "Only $9.99", "fontSize": 120, "position": 0.4,
      "enter": { "name": "pop", "by": "word" }, "loop": "pulse" },
    { "type": "group", "position": 1, "stagger": 0.15, "layers": [
      { "type": "image", "assetId": "asset_…", "width": 300, "centerY": 500, "enter": "slide",
        "keyframes": { "rotation": [{ "at": 0, "value": -8 }, { "at": "100%", "value": 8, "easing": "ease-in-out" }] } }
    ] }
  ]
}
\`\`\`

- \`enter\` and \`exit\`: \`${entrances("all")}\`; texts also \`${entrances("text")}\`, shapes \`${entrances("shape")}\`. A name, or \`{ name, seconds, easing, by, order, overlap, direction, … }\`; \`by\` is \`layer\`, \`line\`, \`word\` or \`letter\`. \`motion_list\` has all parameters.
- \`loop\`: \`${Object.keys(loopTable).join(" ")}\`.
- \`keyframes\`: lists of \`{ at, value, easing }\` by property, such as \`centerX\`, \`scale\`, \`rotation\`, \`opacity\`, \`blur\`; \`at\` in seconds from \`position\`, or \`"40%"\`. They replace the field. Easings: linear, ease-in-out, out-cubic, out-back, in-out-sine, spring(200,15) …
- Clips: \`move\` (\`zoom-in\`, \`pan-left\` …) or \`keyframes\` of \`scale\`, \`centerX\`, \`rotation\`, \`opacity\`, \`blur\`, \`volume\`; \`scale\`, \`rotation\`, \`opacity\`, \`filter\`.
- Time of clips: \`speed\` (0.1 to 10, the pitch stays), \`reverse: true\`; \`keyframes.speed\` ramps, 0 freezes. The length on the timeline stays \`end\` − \`position\`.
- Shapes: \`rect\`, \`ellipse\`, \`line\`, \`polygon\` (\`sides\`), \`star\` (\`points\`, \`inner\`), \`path\` (\`d\`); \`fill\` is a color or a gradient, \`stroke\` \`{ color, width, dash }\`, \`trim\` \`{ start, end }\`.
- Videos lie over the clips: \`{ "type": "video", "assetId": "asset_…" }\` (or \`sceneIndex\`, or \`videoUrl\` of a video here) with \`cutFrom\`, \`speed\`, \`reverse\`, \`repeat\`, \`volume\`, \`fit\`, \`focus\`, \`zoom\`, \`chromaKey: { color, similarity, smoothness }\`; at most 9 at once. Split screens and pictures in pictures are made of them.
- \`motions: [{ at, name }]\`: an entrance or a loop in the middle, once.
- All: \`scale\`, \`anchor\`, \`radius\`, \`shadow\`, \`filter\`, \`blend\`, \`mask\`. Texts: \`spans\` in place of \`text\`, \`case\`, \`fontSize: "auto"\` with \`width\` and \`height\`, \`backgroundBy: "line"\`; images: \`fit\`, \`focus\`, \`zoom\`; an animated GIF, WebP or PNG plays as a layer (\`repeat\`, \`speed\`). A group has a clock of its own (\`speed\`, \`repeat\`), and its box is the frame of its layers.

## Providers and money

\`local\` draws and writes by rules: free, without a key, in seconds. Others are in \`providers_list\`; a call takes \`provider\`, \`model\` and \`apiKey\`. A user who sets keys as headers of the connection (\`x-api-key\`, \`x-llm-provider\` and so on) keeps them out of the conversation. \`requestId\` makes a paid call safe to repeat: the same call with the same \`requestId\` within 24 hours gets the first result.

## Long calls

Calls that make something take from seconds to minutes. \`export_start\` and \`export_status\` return after at most 50 seconds, finished or not. Cancelling \`export_start\` while it waits cancels the export; cancelling \`export_status\` only stops the waiting: use \`export_cancel\`.

## Errors

A failed call says \`code: sentence\` and what to do next. \`validation_error\` names each field. \`rate_limited\` and \`busy\` pass: wait as long as they say. \`insufficient_scope\` needs another token, which only the user can make.
`;
