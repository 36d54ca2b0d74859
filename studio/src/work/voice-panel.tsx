import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { api, sendForm, unwrap } from "../api.ts";
import { useAttempt } from "../parts/attempt.ts";
import { Choice } from "../parts/choice.tsx";
import { Area } from "../parts/field.tsx";
import { FileButton } from "../parts/file-button.tsx";
import { Failure, useLoaded } from "../parts/loaded.tsx";
import { KeyField } from "../parts/providers.tsx";
import { t } from "../words.ts";
import { type Bench, draftOfBench } from "./bench.ts";
import { changeClip } from "./clips.ts";
import { type Clip, changeScene, clipsOf, sceneOf, withEditor } from "./draft.ts";
import { Check, LevelSlider } from "./inputs.tsx";

const route = api.projects[":projectId"].works[":workId"];
/** As much of the film as a sample says. */
const sampleLetters = 120;

type Speaker = { readonly provider: string; readonly voice: string; readonly key: string };

/** The voices of the scenes: one speaker for all of them, and each with its words. */
export function VoicePanel({ bench }: { bench: Bench }) {
  const { session, ids } = bench;
  const draft = draftOfBench(bench);
  const { voice } = draft.editor;
  const speaker = useSignal<Speaker>({ provider: "", voice: "", key: "" });
  const { failure, isBusy, attempt } = useAttempt();
  const use = () => session.change((before) => (before.editor.voice ? before : withEditor(before, { voice: {} })));
  /** Speaks a scene, or all of them. */
  const speak = async (sceneIndex?: number) => {
    const json = { ...(sceneIndex !== undefined && { sceneIndex }), ...voiceOf(speaker.value), force: true };
    await session.changeFiles(() =>
      unwrap(route.generate.voice.$post({ param: ids, json, header: headersOf(speaker.value) })),
    );
    use();
  };
  return (
    <section class="card details" aria-labelledby="voices-title">
      <h2 id="voices-title">{t("workVoices")}</h2>
      <Check
        checked={voice !== undefined}
        onValue={(isOn) => session.change((before) => withEditor(before, { voice: isOn ? {} : undefined }))}
      >
        {t("workVoicesOn")}
      </Check>
      {voice && (
        <LevelSlider
          label={t("workLevel")}
          value={voice.volume ?? 1}
          onValue={(volume) =>
            session.change((before) => withEditor(before, { voice: { ...before.editor.voice, volume } }), "voice level")
          }
        />
      )}
      <SpeakerFields bench={bench} speaker={speaker.value} onSpeaker={(next) => (speaker.value = next)} />
      <p class="tools">
        <button type="button" class="button" disabled={isBusy.value} onClick={() => void attempt(() => speak())}>
          {t(isBusy.value ? "workSpeaking" : "speakAll")}
        </button>
      </p>
      <Failure of={failure.value} />
      <ol class="voices">
        {clipsOf(draft).map((clip, at) => (
          <SceneVoice key={clip.id} bench={bench} clip={clip} number={at + 1} speak={speak} use={use} />
        ))}
      </ol>
    </section>
  );
}

const voiceOf = ({ voice }: Speaker) => (voice ? { voice } : {});
const headersOf = ({ provider, key }: Speaker) => ({
  ...(provider && { "x-speech-provider": provider }),
  ...(key && { "x-api-key": key }),
});

type SpeakerFieldsProps = {
  readonly bench: Bench;
  readonly speaker: Speaker;
  readonly onSpeaker: (speaker: Speaker) => void;
};

/** Chooses who speaks, with a sample of the film's own words. */
function SpeakerFields({ bench, speaker, onSpeaker }: SpeakerFieldsProps) {
  const loaded = useLoaded(async () =>
    (await unwrap(api.providers.$get())).filter(({ category }) => category === "speech"),
  );
  const { failure, isBusy, attempt } = useAttempt();
  const player = useRef<HTMLAudioElement>(null);
  const providers = loaded.value.value ?? [];
  const voices = providers.find(({ id }) => id === speaker.provider)?.models[0]?.voices ?? [];
  const said = draftOfBench(bench).scenes.map((scene) => scene.voice_text ?? scene.text_overlay ?? "");
  const text = said.find((words) => words.trim()) || bench.session.work.value.name;
  const hear = () =>
    attempt(async () => {
      const json = { text: text.slice(0, sampleLetters), ...voiceOf(speaker) };
      const { audioUrl } = await unwrap(api.generate.speech.$post({ json, header: headersOf(speaker) }));
      const element = player.current!; // safe because it is rendered
      element.src = audioUrl;
      await element.play();
    });
  return (
    <>
      <div class="fields">
        <Choice
          label={t("by_speech")}
          value={speaker.provider}
          options={[["", t("byService")], ...providers.map(({ id, name }) => [id, name] as const)]}
          onChange={(provider) => onSpeaker({ provider, voice: "", key: "" })}
        />
        {voices.length > 0 && (
          <Choice
            label={t("voice")}
            value={speaker.voice || voices[0]!}
            options={voices.map((name) => [name, name])}
            onChange={(voice) => onSpeaker({ ...speaker, voice })}
          />
        )}
        {speaker.provider && (
          <KeyField
            key={speaker.provider}
            name={providers.find(({ id }) => id === speaker.provider)?.name ?? speaker.provider}
            provider={speaker.provider}
            value={speaker.key}
            onInput={(key) => onSpeaker({ ...speaker, key })}
          />
        )}
      </div>
      <p class="tools">
        <button type="button" class="tool" disabled={isBusy.value} onClick={() => void hear()}>
          {t("voiceHear")}
        </button>
        {speaker.provider && <span class="soft">{t("voicePaid")}</span>}
      </p>
      <Failure of={failure.value} />
      {/* biome-ignore lint/a11y/useMediaCaption: its words are in the fields below */}
      <audio ref={player} hidden preload="none" />
    </>
  );
}

type SceneVoiceProps = {
  readonly bench: Bench;
  readonly clip: Clip;
  readonly number: number;
  readonly speak: (scene: number) => Promise<void>;
  readonly use: () => void;
};

function SceneVoice({ bench, clip, number, speak, use }: SceneVoiceProps) {
  const { session, ids } = bench;
  const { failure, isBusy, attempt } = useAttempt();
  const draft = draftOfBench(bench);
  const place = sceneOf(session.work.value, clip);
  const scene = draft.scenes[place];
  const made = session.work.value.generatedScenes.find(({ sceneIndex }) => sceneIndex === clip.sceneIndex);
  const param = { ...ids, sceneIndex: String(place) };
  const voice = route.media.scene[":sceneIndex"].voice;
  const path = voice.$url({ param }).pathname;
  const upload = (file: File) =>
    attempt(async () => {
      await session.changeFiles(() => sendForm(path, { file }));
      use();
    });
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
        <button type="button" class="tool" disabled={isBusy.value} onClick={() => void attempt(() => speak(place))}>
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
            onClick={() => void attempt(() => session.changeFiles(() => unwrap(voice.$delete({ param }))))}
          >
            {t("remove")}
            <span class="unseen"> {t("workVoiceOf", { number })}</span>
          </button>
        )}
      </p>
      <Failure of={failure.value} />
      <LevelSlider
        label={t("workClipLevel")}
        value={typeof clip.volume === "number" ? clip.volume : 1}
        onValue={(volume) =>
          session.change((before) => changeClip(before, clip.id, { volume }), `clip level ${clip.id}`)
        }
      />
    </li>
  );
}
