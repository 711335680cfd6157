import { useBranding } from '../common/branding';
import { Phone } from './phone';
import { fillIn, type PlaceholderValues } from './placeholders';
import styles from './preview.module.css';
import type { Phrase } from './sections';

interface PreviewProps {
  phrase: Phrase;
  text: string;
  values: PlaceholderValues;
}

/** How a text looks in the chat, placeholders filled in. */
export function Preview({ phrase, text, values }: PreviewProps) {
  const { assistantName } = useBranding();
  const said = fillIn(text, values);
  return (
    <section className={styles.preview} aria-label="Anteprima della chat">
      <p className={styles.title}>
        Anteprima <span className={styles.which}>· {phrase.label}</span>
      </p>
      <Phone>
        <div className={styles.screen}>
          {said.trim() === '' ? (
            <p className={styles.blank}>Il messaggio è vuoto.</p>
          ) : (
            <ul className="bubbles">
              <li className="bubble" data-from="bot">
                <span className="visually-hidden">{assistantName}: </span>
                <p className="bubble-text">{said}</p>
              </li>
            </ul>
          )}
        </div>
      </Phone>
    </section>
  );
}
