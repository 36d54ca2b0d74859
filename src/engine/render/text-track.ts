import type { TextTrack } from "../mp4/text-track.ts";
import { captionPagesOn } from "../timeline/captions/overlays.ts";
import { lineText } from "../timeline/captions/track.ts";
import { toSeconds } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";

/** The captions of a video as a text track, if requested: a cue for each page, with the line breaks of the picture. */
export function textTrackOf({ captions, canvas, rate, track }: Timeline): TextTrack | undefined {
  if (!captions?.isEmbedded) return undefined;
  const milliseconds = (frame: number) => Math.round(1000 * toSeconds(frame, rate));
  const cues = captionPagesOn(captions, { canvas, rate, frames: track.frames }).map(({ range, lines }) => ({
    start: milliseconds(range.start),
    end: milliseconds(range.end),
    text: lines.map(lineText).join("\n"),
  }));
  const end = milliseconds(track.frames);
  return cues.length > 0 ? { cues, end, canvas, language: threeLetters(captions.language) } : undefined;
}

/** ISO 639-2 codes by the ISO 639-1 codes with which language tags begin. */
const codes = new Map(
  "af afr,am amh,ar ara,az aze,be bel,bg bul,bn ben,bs bos,ca cat,cs ces,cy cym,da dan,de deu,el ell,en eng,es spa,et est,eu eus,fa fas,fi fin,fr fra,ga gle,gl glg,gu guj,he heb,hi hin,hr hrv,hu hun,hy hye,id ind,is isl,it ita,ja jpn,ka kat,kk kaz,km khm,kn kan,ko kor,lo lao,lt lit,lv lav,mk mkd,ml mal,mn mon,mr mar,ms msa,my mya,nb nob,ne nep,nl nld,nn nno,no nor,pa pan,pl pol,pt por,ro ron,ru rus,si sin,sk slk,sl slv,sq sqi,sr srp,sv swe,sw swa,ta tam,te tel,th tha,tl tgl,tr tur,uk ukr,ur urd,uz uzb,vi vie,yue zho,zh zho"
    .split(",")
    .map((pair) => pair.split(" ") as [string, string]),
);

/** Returns `und` for an undetermined language. */
function threeLetters(tag = ""): string {
  const [language = ""] = tag.toLowerCase().split("-");
  return codes.get(language) ?? (/^[a-z]{3}$/.test(language) ? language : "und");
}
