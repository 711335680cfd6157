import { countCharacters, countWords, formatNumber } from '../../shared/lib/text';
import { messages } from '../../shared/messages';
import { Card } from '../../shared/ui/card';
import styles from './text-card.module.css';

export function TextCard({ text }: { text: string }) {
  const characters = countCharacters(text);
  const words = countWords(text);
  return (
    <Card
      title="Testo della Segnalazione"
      aside={
        <p className={styles.count}>
          {formatNumber(characters)} {characters === 1 ? 'carattere' : 'caratteri'} · {formatNumber(words)}{' '}
          {words === 1 ? 'parola' : 'parole'}
        </p>
      }
    >
      {characters > 0 ? (
        <p className={styles.text}>{text}</p>
      ) : (
        <p className={styles.none}>{messages.reports.noText}</p>
      )}
    </Card>
  );
}
