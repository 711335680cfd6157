/** The consents that the newsroom asks for: given, refused and taken back by the reporter alone. */
import type { Consent, ConsentKind } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { announce } from '../../shared/ui/announcer';
import { Act } from '../act';
import styles from './asked.module.css';
import follow from './follow.module.css';
import type { InVisit } from './thread';
import { decide, useAct } from './visit';

/** What it is to, and what it means. */
const MEANING: Readonly<Record<ConsentKind, readonly [string, string]>> = {
  ricontatto: ['Farti ricontattare', 'La redazione può chiamarti o scriverti ai recapiti che le hai dato.'],
  nome: ['Dire il tuo nome', 'Il tuo nome può comparire in quello che pubblichiamo.'],
  voce: ['Far sentire la tua voce', 'La tua voce si può sentire in quello che pubblichiamo.'],
  volto: ['Mostrare il tuo volto', 'Il tuo volto si può vedere in quello che pubblichiamo.'],
  documenti: [
    'Pubblicare i tuoi documenti',
    'I documenti che ci hai mandato si possono vedere in quello che pubblichiamo.',
  ],
};

type Props = Pick<InVisit, 'onReceipt' | 'onOver'> & { consent: Consent };

function decided({ given, givenAt, answered }: Consent): string {
  if (answered === null) {
    return 'Non hai ancora risposto.';
  }
  const refused = givenAt ? 'Hai ritirato il consenso' : 'Hai detto no';
  return `${given ? 'Hai detto sì' : refused} il ${formatDateTime(answered)}.`;
}

/** Under the message that asks. */
export function Consenting(props: Props) {
  const { consent } = props;
  const [title, meaning] = MEANING[consent.kind];
  return (
    // biome-ignore lint/a11y/useSemanticElements: it frames no fields
    <div className={styles.form} role="group" aria-label={title}>
      <p className={styles.question}>
        {`${meaning} Senza il tuo sì non lo facciamo. Puoi ritirarlo da qui in ogni momento: vale da allora in poi.`}
      </p>
      {consent.given !== null && (
        <p className={consent.given ? styles.sent : undefined}>{decided(consent)}</p>
      )}
      <Deciding {...props} />
    </div>
  );
}

/** What holds where the same was asked several times: what was decided last, else what was asked last. */
const lastOf = (consents: readonly Consent[]) =>
  consents.reduce((last, one) => ((one.answered ?? '') >= (last.answered ?? '') ? one : last));

/** All of them in one place, where the reporter finds them later. */
export function Permissions({ receipt, ...visit }: InVisit) {
  const all = receipt.messages.flatMap(({ consent }) => consent ?? []);
  const consents = all.filter((one) => one === lastOf(all.filter(({ kind }) => kind === one.kind)));
  if (consents.length === 0) {
    return null;
  }
  return (
    <section aria-labelledby="permissions">
      <h2 id="permissions">Le tue autorizzazioni</h2>
      <ul className={follow.files}>
        {consents.map((consent) => (
          <li key={consent.id} aria-label={MEANING[consent.kind][0]}>
            <div>
              <a href={`#m${consent.id}`}>{MEANING[consent.kind][0]}</a>
              <p>
                <small>{decided(consent)}</small>
              </p>
            </div>
            {consent.given !== null && <Deciding consent={consent} {...visit} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Deciding({ consent: { id, kind, given }, onReceipt, onOver }: Props) {
  const { busy, failure, run } = useAct(onOver);
  const say = (yes: boolean, said: string) => () => {
    if (!busy) {
      void run(
        (signal) => decide(id, yes, signal),
        (receipt) => {
          onReceipt(receipt);
          announce(said);
        },
      );
    }
  };
  const to = <span className="visually-hidden"> ({MEANING[kind][0].toLowerCase()})</span>;
  return (
    <>
      <div className={follow.asked}>
        {given !== true && (
          <Act aria-disabled={busy} onClick={say(true, 'Hai detto sì.')}>
            <span>Sì, acconsento{to}</span>
          </Act>
        )}
        {given !== false && (
          <Act aria-disabled={busy} onClick={say(false, given ? 'Consenso ritirato.' : 'Hai detto no.')}>
            <span>
              {given ? 'Ritira il consenso' : 'No'}
              {to}
            </span>
          </Act>
        )}
      </div>
      <p className={follow.wrong} role="alert">
        {failure}
      </p>
    </>
  );
}
