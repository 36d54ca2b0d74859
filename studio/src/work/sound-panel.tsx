import { signal, useSignal } from "@preact/signals";
import { ApiError, type Asset, api, sendForm, unwrap } from "../api.ts";
import { AssetDialog } from "../parts/asset-dialog.tsx";
import { useAttempt } from "../parts/attempt.ts";
import { Area, Field } from "../parts/field.tsx";
import { FileButton } from "../parts/file-button.tsx";
import { Failure } from "../parts/loaded.tsx";
import { t, timeText } from "../words.ts";
import { type Bench, draftOfBench, playhead } from "./bench.ts";
import { changeClip } from "./clips.ts";
import {
  type Clip,
  changeScene,
  clipsOf,
  type Music,
  round,
  type Sound,
  sceneOf,
  soundsOf,
  withEditor,
} from "./draft.ts";
import { Check, Slider } from "./inputs.tsx";

const percent = (level: number) => `${Math.round(level * 100)} %`;
const loudest = 2;

/** Edits music and the voice of each scene. */
export function SoundPanel({ bench }: { bench: Bench }) {
  const { session } = bench;
  const draft = draftOfBench(bench);
  const { voice } = draft.editor;
  return (
    <div class="sound">
      <MusicFields bench={bench} />
      <Effects bench={bench} />
      <section class="card details" aria-labelledby="voices-title">
        <h2 id="voices-title">{t("workVoices")}</h2>
        <Check
          checked={voice !== undefined}
          onValue={(isOn) => session.change((before) => withEditor(before, { voice: isOn ? {} : undefined }))}
        >
          {t("workVoicesOn")}
        </Check>
        {voice && (
          <Slider
            label={t("workLevel")}
            value={voice.volume ?? 1}
            max={loudest}
            step={0.05}
            text={percent(voice.volume ?? 1)}
            onValue={(volume) =>
              session.change(
                (before) => withEditor(before, { voice: { ...before.editor.voice, volume } }),
                "voice level",
              )
            }
          />
        )}
        <ol class="voices">
          {clipsOf(draft).map((clip, at) => (
            <SceneVoice key={clip.id} bench={bench} clip={clip} number={at + 1} />
          ))}
        </ol>
      </section>
    </div>
  );
}

function MusicFields({ bench }: { bench: Bench }) {
  const { session, ids } = bench;
  const isChoosing = useSignal(false);
  const { audioUrl, audioVolume, audio = {} } = draftOfBench(bench).editor;
  const set = (changes: Music, tag?: string) =>
    session.change((before) => withEditor(before, { audio: { ...before.editor.audio, ...changes } }), tag);
  const choose = async ({ url }: Asset) =>
    session.change((before) =>
      withEditor(before, { audioUrl: url, audio: { loop: true, fadeOut: 1, duck: true, ...before.editor.audio } }),
    );
  return (
    <section class="card details" aria-labelledby="music-title">
      <h2 id="music-title">{t("workMusic")}</h2>
      {audioUrl ? (
        <>
          {/* biome-ignore lint/a11y/useMediaCaption: it is music */}
          <audio src={audioUrl} controls preload="none" aria-label={t("workMusic")} />
          <Slider
            label={t("workLevel")}
            value={audioVolume}
            max={loudest}
            step={0.05}
            text={percent(audioVolume)}
            onValue={(level) => session.change((before) => withEditor(before, { audioVolume: level }), "music level")}
          />
          <Check checked={audio.loop === true} onValue={(loop) => set({ loop })}>
            {t("workLoop")}
          </Check>
          <Check checked={audio.duck === true} onValue={(duck) => set({ duck })}>
            {t("workDuck")}
          </Check>
        </>
      ) : (
        <p class="soft">{t("workNoMusic")}</p>
      )}
      <p class="tools">
        <button
          type="button"
          class="tool"
          onClick={() => {
            isChoosing.value = true;
          }}
        >
          {t(audioUrl ? "workOtherMusic" : "workChooseMusic")}
        </button>
        {audioUrl && (
          <button
            type="button"
            class="tool"
            onClick={() => session.change((before) => withEditor(before, { audioUrl: undefined }))}
          >
            {t("remove")}
          </button>
        )}
      </p>
      {isChoosing.value && (
        <AssetDialog
          projectId={ids.projectId}
          title={t("workChooseMusic")}
          types={["audio"]}
          onChoose={choose}
          onClose={() => {
            isChoosing.value = false;
          }}
        />
      )}
    </section>
  );
}

/** Sounds besides the music, each at its time. */
function Effects({ bench }: { bench: Bench }) {
  const { session, ids } = bench;
  const isChoosing = useSignal(false);
  const sounds = soundsOf(draftOfBench(bench));
  const write = (edit: (sounds: readonly Sound[]) => readonly Sound[], tag?: string) =>
    session.change((before) => withEditor(before, { sounds: edit(soundsOf(before)) }), tag);
  const add = async ({ id: assetId }: Asset) => {
    const position = round(playhead(bench));
    write((all) => [...all, { assetId, position, role: "effect" }]);
  };
  return (
    <section class="card details" aria-labelledby="effects-title">
      <h2 id="effects-title">{t("effects")}</h2>
      {sounds.map((sound, at) => {
        const level = typeof sound.volume === "number" ? sound.volume : 1;
        const name = t("effectAt", { time: timeText(sound.position ?? 0) });
        return (
          <div key={at} class="effect">
            <Slider
              label={name}
              value={level}
              max={loudest}
              step={0.05}
              text={percent(level)}
              onValue={(volume) => write((all) => all.with(at, { ...all[at], volume }), `effect level ${at}`)}
            />
            <button type="button" class="cross" onClick={() => write((all) => all.toSpliced(at, 1))}>
              <span class="unseen">{t("removeFile", { name })}</span>
            </button>
          </div>
        );
      })}
      <p class="tools">
        <button
          type="button"
          class="tool"
          onClick={() => {
            isChoosing.value = true;
          }}
        >
          {t("effectAdd")}
        </button>
      </p>
      {isChoosing.value && (
        <AssetDialog
          projectId={ids.projectId}
          title={t("effectAdd")}
          types={["audio"]}
          onChoose={add}
          onClose={() => {
            isChoosing.value = false;
          }}
        />
      )}
    </section>
  );
}

/** The provider's key, kept while the page is open. */
const key = signal("");

const route = api.projects[":projectId"].works[":workId"];

function SceneVoice({ bench, clip, number }: { bench: Bench; clip: Clip; number: number }) {
  const { session, ids } = bench;
  const { failure, isBusy, attempt } = useAttempt();
  const draft = draftOfBench(bench);
  const place = sceneOf(session.work.value, clip);
  const scene = draft.scenes[place];
  const made = session.work.value.generatedScenes.find(({ sceneIndex }) => sceneIndex === clip.sceneIndex);
  const param = { ...ids, sceneIndex: String(place) };
  const path = route.media.scene[":sceneIndex"].voice.$url({ param }).pathname;
  const change = (act: () => Promise<unknown>) => attempt(() => session.changeFiles(act));
  const use = () => session.change((before) => (before.editor.voice ? before : withEditor(before, { voice: {} })));
  const speak = () =>
    change(async () => {
      const json = { sceneIndex: place, force: true };
      const header = key.value === "" ? {} : { "x-api-key": key.value };
      await unwrap(route.generate.voice.$post({ param: ids, json, header }));
      use();
    });
  const upload = (file: File) =>
    change(async () => {
      await sendForm(path, { file });
      use();
    });
  const error = failure.value;
  const needsKey =
    error instanceof ApiError && (error.code === "provider_key_required" || error.code === "provider_key_rejected");
  const level = typeof clip.volume === "number" ? clip.volume : 1;
  return (
    <li>
      <h3>{t("scene", { number })}</h3>
      {scene && (
        <Area
          label={t("workSpoken")}
          rows={2}
          value={String(scene.voice_text ?? scene.text_overlay ?? "")}
          onInput={({ currentTarget }) =>
            session.change((before) => changeScene(before, place, { voice_text: currentTarget.value }), `say ${place}`)
          }
        />
      )}
      {made?.voiceUrl && (
        // biome-ignore lint/a11y/useMediaCaption: its words are in the field above
        <audio
          src={`${path}?v=${session.version.value}`}
          controls
          preload="none"
          aria-label={t("workVoiceOf", { number })}
        />
      )}
      <p class="tools">
        <button type="button" class="tool" disabled={isBusy.value} onClick={() => void speak()}>
          {t(isBusy.value ? "workSpeaking" : "workSpeak")}
          <span class="unseen"> {t("scene", { number })}</span>
        </button>
        <FileButton accept="audio/*" onFiles={([file]) => void upload(file)}>
          {t("workOwnVoice")}
          <span class="unseen"> {t("scene", { number })}</span>
        </FileButton>
        {made?.voiceUrl && (
          <button
            type="button"
            class="tool"
            disabled={isBusy.value}
            onClick={() => void change(() => unwrap(route.media.scene[":sceneIndex"].voice.$delete({ param })))}
          >
            {t("remove")}
            <span class="unseen"> {t("workVoiceOf", { number })}</span>
          </button>
        )}
      </p>
      <Failure of={failure.value} />
      {needsKey && (
        <Field
          label={t("newKey")}
          type="password"
          autoComplete="off"
          value={key.value}
          onInput={({ currentTarget }) => {
            key.value = currentTarget.value.trim();
          }}
        />
      )}
      <Slider
        label={t("workClipLevel")}
        value={level}
        max={loudest}
        step={0.05}
        text={percent(level)}
        onValue={(volume) =>
          session.change((before) => changeClip(before, clip.id, { volume }), `clip level ${clip.id}`)
        }
      />
    </li>
  );
}
