/** Records a voice, lets it be heard, and hands it over as a file. Must never lose one unasked. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { announce } from '../../shared/ui/announcer';
import { Act } from '../act';
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
  done: 'Registrazione ferma: riascoltala, poi allegala.',
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
  const change = useCallback(
    (part: Partial<typeof START>) => setState((before) => ({ ...before, ...part })),
    [],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each take
  useEffect(() => {
    let left = false;
    record((voice) => left || change({ phase: 'done', voice })).then(
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
  return { ...state, change, again, pause, goOn, finish };
}

type Props = {
  files: Files;
  /** Told whether there is a voice that is not attached yet. */
  onBusy: (busy: boolean) => void;
  onClose: () => void;
};

export function Voice({ files, onBusy, onClose }: Props) {
  const { phase, voice, refusal, change, seconds, levels, again, pause, goOn, finish } = useVoice();
  const box = useRef<HTMLElement>(null);
  const live = phase === 'recording' || phase === 'paused';

  useEffect(() => {
    announce(SAID[phase]);
    onBusy(phase !== 'refused');
    return () => onBusy(false);
  }, [phase, onBusy]);
  // Where other buttons stand, the one that was pressed is gone.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs with each set of buttons
  useEffect(() => {
    box.current?.focus({ preventScroll: true });
    box.current?.scrollIntoView?.({ block: 'nearest' });
  }, [live || phase]);

  const attach = () => {
    const why = voice === null ? '' : files.refusal(voice);
    change({ refusal: why });
    if (voice !== null && why === '') {
      void files.add(voice);
      onClose();
    }
  };
  const acts: Readonly<Record<Phase, readonly (readonly [string, () => void])[]>> = {
    asking: [],
    recording: [
      ['Pausa', pause],
      ['Ferma e riascolta', finish],
    ],
    paused: [
      ['Riprendi', goOn],
      ['Ferma e riascolta', finish],
    ],
    done: [
      ['Allega il vocale', attach],
      ['Rifai', again],
    ],
    refused: [['Riprova', again]],
  };
  const time = `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
  return (
    <section ref={box} tabIndex={-1} className={styles.recorder} aria-label="Vocale">
      {phase === 'asking' && <p>{SAID.asking}</p>}
      {refusal !== '' && <p role="alert">{refusal}</p>}
      {(live || phase === 'done') && (
        <p className={styles.time} data-phase={phase}>
          <strong>{time}</strong> di 10 minuti{phase === 'paused' && ', in pausa'}
        </p>
      )}
      {live && <Level levels={levels} />}
      {voice !== null && <Playback voice={voice} />}
      <div className={styles.acts}>
        {[...acts[phase], [phase === 'refused' ? 'Chiudi' : 'Scarta', onClose] as const].map(
          ([label, act], place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: what takes the place of a button keeps its focus
            <Act key={place} onClick={act}>
              {label}
            </Act>
          ),
        )}
      </div>
    </section>
  );
}

/** A line of bars; who wants nothing to move gets a number. */
function Level({ levels }: { levels: readonly number[] }) {
  if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) {
    return <p>Livello: {Math.round(10 * Math.max(...levels.slice(-1000 / TICK)))} su 10</p>;
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

function Playback({ voice }: { voice: File }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(voice);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [voice]);
  return (
    // biome-ignore lint/a11y/useMediaCaption: who spoke knows what was said
    <audio
      className={styles.audio}
      src={url}
      controls
      aria-label="Il tuo vocale"
      onLoadedMetadata={({ currentTarget: audio }) => {
        // A record says how long it is once its end was asked for.
        if (audio.duration === Number.POSITIVE_INFINITY) {
          audio.currentTime = LONGEST * 10;
          const back = () => {
            audio.currentTime = 0;
          };
          audio.addEventListener('timeupdate', back, { once: true });
        }
      }}
    />
  );
}
