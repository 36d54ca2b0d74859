import { useSignal } from "@preact/signals";
import type { InferResponseType } from "hono/client";
import { useRef } from "preact/hooks";
import { type Asset, api, unwrap } from "../api.ts";
import { AssetDialog } from "../parts/asset-dialog.tsx";
import { useLoaded } from "../parts/loaded.tsx";
import { itemsIn } from "../strip/items.ts";
import { listText, t, timeText } from "../words.ts";
import { type Bench, draftOfBench, playhead } from "./bench.ts";
import { type Music, round, type Sound, secondsOf, soundsOf, withEditor } from "./draft.ts";
import { Check, LevelSlider, NumberField } from "./inputs.tsx";
import { beginMusicAt, isEffect, keptEffects, switchEffects, withBed, withOwnMusic } from "./levels.ts";
import { VoicePanel } from "./voice-panel.tsx";

type Bed = InferResponseType<typeof api.beds.$get, 200>["beds"][number];
type Known = { readonly beds: readonly Bed[]; readonly names: ReadonlyMap<string, string> };

const longestFade = 30;

async function readSounds(projectId: string): Promise<Known> {
  const [{ beds }, { effects }, { assets }] = await Promise.all([
    unwrap(api.beds.$get()),
    unwrap(api.effects.$get()),
    unwrap(api.projects[":projectId"].assets.$get({ param: { projectId }, query: {} })),
  ]);
  const made = [...beds, ...effects].map(({ audioUrl, title }) => [audioUrl, title] as const);
  return { beds, names: new Map([...made, ...assets.map(({ url, name }) => [url, name] as const)]) };
}

/** Edits music, effects and the voice of each scene. */
export function SoundPanel({ bench }: { bench: Bench }) {
  const { session, ids } = bench;
  const loaded = useLoaded(() => readSounds(ids.projectId));
  const known = loaded.value.value ?? { beds: [], names: new Map<string, string>() };
  const choosing = useSignal<"music" | "effect" | undefined>(undefined);
  const isMusic = choosing.value === "music";
  const choose = async (asset: Asset) => {
    const position = round(playhead(bench));
    session.change((before) =>
      isMusic
        ? withOwnMusic(before, asset)
        : withEditor(before, { sounds: [...soundsOf(before), { assetId: asset.id, position, role: "effect" }] }),
    );
    void loaded.reload();
  };
  const ask = (what: "music" | "effect") => () => {
    choosing.value = what;
  };
  return (
    <div class="sound">
      <MusicFields bench={bench} known={known} ask={ask("music")} />
      <Sounds bench={bench} known={known} ask={ask("effect")} />
      <VoicePanel bench={bench} />
      {choosing.value && (
        <AssetDialog
          projectId={ids.projectId}
          title={t(isMusic ? "workChooseMusic" : "effectAdd")}
          types={["audio"]}
          onChoose={choose}
          onClose={() => {
            choosing.value = undefined;
          }}
        />
      )}
    </div>
  );
}

type PartProps = { readonly bench: Bench; readonly known: Known; readonly ask: () => void };

function MusicFields({ bench, known: { beds, names }, ask }: PartProps) {
  const { session, beats, lengths } = bench;
  const draft = draftOfBench(bench);
  const { audioUrl, audioVolume, audio = {} } = draft.editor;
  const bed = beds.find((each) => each.audioUrl === audioUrl);
  const set = (changes: Music, tag?: string) =>
    session.change((before) => withEditor(before, { audio: { ...before.editor.audio, ...changes } }), tag);
  const length = bed ? secondsOf(draft) : lengths.value.get(audioUrl ?? "");
  const facts = [
    ...(length === undefined ? [] : [timeText(length)]),
    ...(bed ? [t("tempoOf", { count: bed.tempo }), bed.key] : []),
    ...(beats.value.length > 0 ? [t("beatsOf", { count: beats.value.length })] : []),
  ];
  return (
    <section class="card details" aria-labelledby="music-title">
      <h2 id="music-title">{t("workMusic")}</h2>
      {audioUrl ? (
        <>
          <p>
            <b dir="auto">{names.get(audioUrl) ?? t("workMusic")}</b> <span class="soft">{listText(facts)}</span>
          </p>
          {!bed && (
            // biome-ignore lint/a11y/useMediaCaption: it is music
            <audio src={audioUrl} controls preload="none" aria-label={t("workMusic")} />
          )}
          <LevelSlider
            label={t("workLevel")}
            value={audioVolume}
            onValue={(level) => session.change((before) => withEditor(before, { audioVolume: level }), "music level")}
          />
          <div class="fields">
            {!bed && (
              <NumberField
                label={t("soundStart")}
                {...{ value: 0, min: 0, max: secondsOf(draft), step: 0.1 }}
                onValue={(at) => at > 0 && session.change((before) => beginMusicAt(before, at))}
              />
            )}
            <Fades sound={audio} tag="music" onValue={set} />
          </div>
          {!bed && (
            <Check checked={audio.loop === true} onValue={(loop) => set({ loop })}>
              {t("workLoop")}
            </Check>
          )}
          <Check checked={audio.duck === true} onValue={(duck) => set({ duck })}>
            {t("workDuck")}
          </Check>
        </>
      ) : (
        <p class="soft">{t("workNoMusic")}</p>
      )}
      <Beds
        beds={beds}
        chosen={audioUrl}
        onChoose={({ audioUrl: url }) => session.change((before) => withBed(before, url))}
      />
      <p class="tools">
        <button type="button" class="tool" onClick={ask}>
          {t("ownMusic")}
        </button>
        {audioUrl && (
          <button
            type="button"
            class="tool"
            onClick={() => session.change((before) => withEditor(before, { audioUrl: undefined }))}
          >
            {t("remove")}
            <span class="unseen"> {t("workMusic")}</span>
          </button>
        )}
      </p>
    </section>
  );
}

type BedsProps = {
  readonly beds: readonly Bed[];
  readonly chosen: string | undefined;
  readonly onChoose: (bed: Bed) => void;
};

/** The music that the service makes, each with its mood and a sample. */
function Beds({ beds, chosen, onChoose }: BedsProps) {
  const player = useRef<HTMLAudioElement>(null);
  const heard = useSignal<string | undefined>(undefined);
  const hear = ({ name, preview }: Bed) => {
    const element = player.current!; // safe because it is rendered
    const isHeard = heard.value === name;
    heard.value = isHeard ? undefined : name;
    if (isHeard) return element.pause();
    element.src = preview;
    // without a sound the button says so
    element.play().catch(() => {
      heard.value = undefined;
    });
  };
  return (
    <fieldset class="beds">
      <legend class="unseen">{t("workChooseMusic")}</legend>
      {beds.map((bed) => (
        <div key={bed.name}>
          <button
            type="button"
            class="small"
            data-playing={heard.value === bed.name ? "" : undefined}
            onClick={() => hear(bed)}
          >
            <span class="icon-play" aria-hidden="true" />
            <span class="unseen">{t(heard.value === bed.name ? "bedStop" : "bedHear", { name: bed.title })}</span>
          </button>
          <label title={bed.about}>
            <input type="radio" name="bed" checked={bed.audioUrl === chosen} onChange={() => onChoose(bed)} />
            <span>
              <b>{bed.title}</b> <span class="soft">{listText(bed.mood)}</span>
            </span>
          </label>
        </div>
      ))}
      {/* biome-ignore lint/a11y/useMediaCaption: it is music */}
      <audio
        ref={player}
        hidden
        preload="none"
        onEnded={() => {
          heard.value = undefined;
        }}
      />
    </fieldset>
  );
}

type FadesProps = {
  readonly sound: { readonly [field: string]: unknown };
  readonly tag: string;
  readonly onValue: (changes: { readonly fadeIn?: number; readonly fadeOut?: number }, tag: string) => void;
};

function Fades({ sound, tag, onValue }: FadesProps) {
  return (
    <>
      {(["fadeIn", "fadeOut"] as const).map((field) => (
        <NumberField
          key={field}
          label={t(field)}
          {...{ value: Number(sound[field] ?? 0), min: 0, max: longestFade, step: 0.1 }}
          onValue={(seconds) => onValue({ [field]: seconds }, `${tag} ${field}`)}
        />
      ))}
    </>
  );
}

/** Sounds besides the music, each at its time. */
function Sounds({ bench, known: { names }, ask }: PartProps) {
  const { session, ids, lanes } = bench;
  const draft = draftOfBench(bench);
  const sounds = soundsOf(draft);
  const isOff = keptEffects(draft).length > 0;
  const bars = itemsIn(lanes.value);
  const write = (edit: (sounds: readonly Sound[]) => readonly Sound[], tag?: string) =>
    session.change((before) => withEditor(before, { sounds: edit(soundsOf(before)) }), tag);
  const nameOf = ({ assetId, audioUrl }: Sound) =>
    names.get(String(audioUrl ?? `/api/projects/${ids.projectId}/assets/${assetId}`)) ?? t("stripEffect");
  return (
    <section class="card details" aria-labelledby="effects-title">
      <h2 id="effects-title">{t("effects")}</h2>
      {(isOff || sounds.some(isEffect)) && (
        <Check checked={!isOff} onValue={(isOn) => session.change((before) => switchEffects(before, isOn))}>
          {t("effectsOn")}
        </Check>
      )}
      {sounds.map((sound, at) => {
        const name = `${nameOf(sound)} · ${timeText(sound.position ?? 0)}`;
        const change = (changes: object, tag: string) =>
          write((all) => all.with(at, { ...all[at], ...changes }), `${tag} ${at}`);
        return (
          <details key={at} class="effect" open={bench.chosen.value.includes(`sound ${at}`) || undefined}>
            <summary dir="auto">{name}</summary>
            <LevelSlider
              label={t("workLevel")}
              value={typeof sound.volume === "number" ? sound.volume : 1}
              onValue={(volume) => change({ volume }, "sound level")}
            />
            <div class="fields">
              <NumberField
                label={t("soundStart")}
                {...{ value: sound.position ?? 0, min: 0, max: secondsOf(draft), step: 0.1 }}
                onValue={(position) => {
                  const bar = bars.find(({ key }) => key === `sound ${at}`);
                  const length = bar ? bar.end - bar.start : 0;
                  change(
                    { position, ...(sound.end !== undefined && { end: round(position + Math.max(0.1, length)) }) },
                    "sound start",
                  );
                }}
              />
              <Fades sound={sound} tag={`sound ${at}`} onValue={change} />
            </div>
            <p>
              <button type="button" class="tool" onClick={() => write((all) => all.toSpliced(at, 1))}>
                {t("remove")}
                <span class="unseen"> {name}</span>
              </button>
            </p>
          </details>
        );
      })}
      <p class="tools">
        <button type="button" class="tool" onClick={ask}>
          {t("effectAdd")}
        </button>
      </p>
    </section>
  );
}
