/** A voice recorded in this page. Must never keep the microphone once it has ended, nor a sound anywhere but in memory. */
import { now } from '../../shared/lib/clock';

/** Seconds. */
export const LONGEST = 600;
/** Enough for a voice; ten minutes are under four megabytes. */
const BITS_PER_SECOND = 48_000;
const ENDINGS: Readonly<Record<string, string>> = { 'audio/mp4': 'm4a', 'audio/ogg': 'ogg' };

export type Recording = ReturnType<typeof begin>;

function fileOf(parts: Blob[], kind: string): File {
  const type = kind.replace(/;.*/, '');
  const at = new Date(now()).toLocaleString('sv').replace(' ', '-').replaceAll(':', '');
  return new File(parts, `vocale-${at}.${ENDINGS[type] ?? 'webm'}`, { type });
}

/** Gives how loud it is just now, from 0 to 1; without a level a voice is recorded all the same. */
function listen(stream: MediaStream, ended: AbortSignal): () => number {
  try {
    const sound = new AudioContext();
    ended.addEventListener('abort', () => void sound.close());
    const analyser = sound.createAnalyser();
    sound.createMediaStreamSource(stream).connect(analyser);
    const wave = new Float32Array(analyser.fftSize);
    return () => {
      analyser.getFloatTimeDomainData(wave);
      return Math.min(1, Math.sqrt(wave.reduce((most, value) => Math.max(most, Math.abs(value)), 0)));
    };
  } catch {
    return () => 0;
  }
}

function release(stream: MediaStream): void {
  for (const track of stream.getTracks()) {
    track.stop();
  }
}

/** Asks for the microphone and begins. `onDone` gets the voice once it has ended, also by itself, as where the microphone goes. */
export async function record(onDone: (voice: File) => void) {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  try {
    return begin(stream, onDone);
  } catch (error) {
    release(stream);
    throw error;
  }
}

function begin(stream: MediaStream, onDone: (voice: File) => void) {
  const recorder = new MediaRecorder(stream, { audioBitsPerSecond: BITS_PER_SECOND });
  const ended = new AbortController();
  const parts: Blob[] = [];
  let [before, since] = [0, performance.now()];
  const seconds = () =>
    Math.min(LONGEST, (before + (recorder.state === 'recording' ? performance.now() - since : 0)) / 1000);
  const finish = () => {
    before = seconds() * 1000;
    ended.abort();
    if (recorder.state !== 'inactive') {
      recorder.stop();
    }
    release(stream);
  };
  recorder.ondataavailable = ({ data }) => parts.push(data);
  recorder.onstop = () => {
    finish();
    onDone(fileOf(parts, recorder.mimeType));
  };
  window.addEventListener('pagehide', finish, { signal: ended.signal });
  recorder.start();
  return {
    seconds,
    level: listen(stream, ended.signal),
    finish,
    pause() {
      before = seconds() * 1000;
      recorder.pause();
    },
    goOn() {
      since = performance.now();
      recorder.resume();
    },
  };
}
