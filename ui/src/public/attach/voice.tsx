/** Records a voice, lets it be heard, and hands it over as a file. Must never lose one unasked. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { announce } from '../../shared/ui/announcer';
import { Act } from '../act';
import { Icon } from '../icon';
import styles from './attach.module.css';
import type { Files } from './files';
import { LONGEST, type Recording, record } from './record';

/** Milliseconds between two looks at time and level, and how many of these are drawn. */
const TICK = 100;
const SILENCE: readonly number[] = new Array(64).fill(0);

type Phase = 'asking' | 'recording' | 'paused' | 'done' | 'refused';

const SAID: Readonly<Record<Phase, string>> = {
  asking: 'Il browser ti chiede se questa pagina può usare il microfono.',
  recording: 'Registrazione in corso.',
  paused: 'In pausa.',
  done: 'Registrazione ferma: puoi riascoltarla.',
  refused: '',
};

function refusalOf(error: unknown): string {
  const why =
    error instanceof DOMException && error.name === 'NotAllowedError'
      ? 'Il browser non lascia usare il microfono a questa pagina: consentilo nelle impostazioni del sito, poi riprova.'
      : 'Non troviamo un microfono libero: controlla che ci sia, poi riprova.';
  return `${why} Puoi anche registrare con un’altra app e allegare il file.`;
}

const START = {
  phase: 'asking' as Phase,
  voice: null as File | null,
  refusal: '',
  seconds: 0,
  levels: SILENCE,
};

function useVoice() {
  const [state, setState] = useState(START);
  const [take, setTake] = useState(1);
  const recording = useRef<Recording>(null);
  /** Who takes the voice that is being recorded, also when this is gone by then. */
  const taker = useRef<((voice: File) => void) | null>(null);
  const change = useCallback(
    (part: Partial<typeof START>) => setState((before) => ({ ...before, ...part })),
    [],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each take
  useEffect(() => {
    let left = false;
    const done = (voice: File) =>
      taker.current ? taker.current(voice) : left || change({ phase: 'done', voice });
    record(done).then(
      (begun) => {
        recording.current = begun;
        change({ phase: 'recording' });
        if (left) {
          begun.finish();
        }
      },
      (error: unknown) => change({ phase: 'refused', refusal: refusalOf(error) }),
    );
    return () => {
      left = true;
      recording.current?.finish();
    };
  }, [take]);

  const { phase } = state;
  useEffect(() => {
    if (phase !== 'recording') {
      return;
    }
    const timer = setInterval(() => {
      const { current } = recording;
      const [seconds, level] = [current?.seconds() ?? 0, current?.level() ?? 0];
      setState((before) => ({ ...before, seconds, levels: [...before.levels.slice(1), level] }));
      if (seconds === LONGEST) {
        current?.finish();
      }
    }, TICK);
    return () => clearInterval(timer);
  }, [phase]);

  const again = () => {
    setState(START);
    setTake(take + 1);
  };
  const pause = () => {
    recording.current?.pause();
    change({ phase: 'paused' });
  };
  const goOn = () => {
    recording.current?.goOn();
    change({ phase: 'recording' });
  };
  const finish = () => recording.current?.finish();
  const { voice } = state;
  const onward = useCallback(
    (take: (voice: File) => void) => {
      if (voice !== null) {
        take(voice);
        return;
      }
      taker.current = take;
      recording.current?.finish();
    },
    [voice],
  );
  return { ...state, change, again, pause, goOn, finish, onward };
}

/** Minutes and seconds. */
const clockOf = (seconds: number) =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

type Props = {
  files: Files;
  /** Given what attaches the voice as it is, and tells whether it could; null while there is none. */
  onVoice: (attach: (() => boolean) | null) => void;
  onClose: () => void;
};

type Deed = readonly [label: string, act: () => void, icon?: string];

/** Lucide, ISC. */
const BIN = 'M3 6h18M8 6V4h8v2M19 6l-1 14H6L5 6M10 11v5M14 11v5';
const PAUSE = 'M9 5v14M15 5v14';
const PLAY = 'm7 4 12 8-12 8z';
const STOP = 'M6 6h12v12H6z';
const AGAIN = 'M3 12a9 9 0 1 0 3-6.700L3 8M3 3v5h5';
const SEND = 'm22 2-7 20-4-9-9-4zM22 2 11 13';

export function Voice({ files, onVoice, onClose }: Props) {
  const { phase, voice, refusal, change, seconds, levels, again, pause, goOn, finish, onward } = useVoice();
  const box = useRef<HTMLElement>(null);
  const live = phase === 'recording' || phase === 'paused';

  useEffect(() => announce(SAID[phase]), [phase]);
  // Where other buttons stand, the one that was pressed is gone.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs with each set of buttons
  useEffect(() => {
    box.current?.focus({ preventScroll: true });
    box.current?.scrollIntoView?.({ block: 'nearest' });
  }, [live || phase]);

  const attach = useCallback(() => {
    const why = voice === null ? '' : files.refusal(voice);
    change({ refusal: why });
    if (why === '') {
      onward((made) => void files.add(made));
      onClose();
    }
    return why === '';
  }, [voice, files, change, onward, onClose]);
  const ready = live || phase === 'done';
  useEffect(() => {
    onVoice(ready ? attach : null);
    return () => onVoice(null);
  }, [ready, attach, onVoice]);

  const listen: Deed = ['Ferma e riascolta', finish, STOP];
  const deeds: Readonly<Record<Phase, readonly Deed[]>> = {
    asking: [],
    recording: [['Pausa', pause, PAUSE], listen],
    paused: [['Riprendi', goOn, PLAY], listen],
    done: [['Rifai', again, AGAIN]],
    refused: [['Riprova', again]],
  };
  const discard: Deed = phase === 'refused' ? ['Chiudi', onClose] : ['Scarta', onClose, BIN];
  return (
    <section ref={box} tabIndex={-1} className={styles.recorder} aria-label="Vocale">
      {phase === 'asking' && <p>{SAID.asking}</p>}
      {refusal !== '' && <p role="alert">{refusal}</p>}
      {live && (
        <div className={styles.time} data-phase={phase}>
          <p>
            <strong>{clockOf(seconds)}</strong>{' '}
            <span>{phase === 'paused' ? 'di 10 minuti, in pausa' : 'di 10 minuti'}</span>
          </p>
          <Level levels={levels} />
        </div>
      )}
      {voice !== null && <Playback voice={voice} seconds={seconds} />}
      <div className={styles.deeds}>
        {[discard, ...deeds[phase]].map(([label, act, icon], place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: what takes the place of a button keeps its focus
          <Act key={place} title={label} aria-label={label} onClick={act}>
            {icon ? <Icon path={icon} /> : label}
          </Act>
        ))}
        {ready && (
          <Act main onClick={attach}>
            <Icon path={SEND} />
            <span>
              Allega<span className="visually-hidden"> il vocale</span>
            </span>
          </Act>
        )}
      </div>
    </section>
  );
}

/** A line of bars; who wants nothing to move gets a number. */
function Level({ levels }: { levels: readonly number[] }) {
  if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) {
    return <p>{`Livello: ${Math.round(10 * Math.max(...levels.slice(-1000 / TICK)))} su 10`}</p>;
  }
  const bar = (level: number, place: number) => `M${place * 5 + 1} ${17 - 16 * level}v${2 + 32 * level}`;
  return (
    <svg className={styles.level} viewBox="0 0 317 36" preserveAspectRatio="none" aria-hidden="true">
      <path
        d={levels.map(bar).join('')}
        stroke="currentColor"
        strokeWidth="2"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

function Playback({ voice, seconds }: { voice: File; seconds: number }) {
  const [url, setUrl] = useState<string>();
  const [playing, setPlaying] = useState(false);
  const [at, setAt] = useState(0);
  const audio = useRef<HTMLAudioElement>(null);
  useEffect(() => {
    const made = URL.createObjectURL(voice);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [voice]);
  const play = () => void (playing ? audio.current?.pause() : audio.current?.play());
  return (
    <div className={styles.time}>
      {/* biome-ignore lint/a11y/useMediaCaption: who spoke knows what was said */}
      <audio
        ref={audio}
        src={url}
        aria-label="Il tuo vocale"
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onTimeUpdate={({ currentTarget }) => setAt(currentTarget.currentTime)}
      />
      <Act title="Riascolta" aria-label={playing ? 'Ferma l’ascolto' : 'Riascolta'} onClick={play}>
        <Icon path={playing ? PAUSE : PLAY} />
      </Act>
      <progress max={Math.max(1, seconds)} value={Math.min(at, seconds)} aria-label="Ascolto" />
      <strong>{clockOf(seconds)}</strong>
    </div>
  );
}
