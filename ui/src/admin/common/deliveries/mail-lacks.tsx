import type { ReactNode } from 'react';
import type { DeliverySummary } from '../../../shared/api/schema';
import { Message } from '../../../shared/ui/message';

export type MailLack = DeliverySummary['mailLacks'][number];

const NAMES: Readonly<Record<MailLack, string>> = {
  server: 'il server SMTP',
  sender: 'il mittente',
  recipient: 'l’indirizzo di chi le riceve',
};

const list = new Intl.ListFormat('it', { type: 'conjunction' });

function lacksText(lacks: readonly MailLack[]): string {
  if (lacks.length === 1 && lacks[0] === 'recipient') {
    return 'L’invio delle email è attivo, ma manca l’indirizzo di chi le riceve, almeno per un reparto: per quelle segnalazioni non parte nessuna email.';
  }
  const verb = lacks.length === 1 ? 'manca' : 'mancano';
  const names = list.format(lacks.map((lack) => NAMES[lack]));
  return `L’invio delle email è attivo, ma ${verb} ${names}: nessuna email arriva.`;
}

/** Mail that is switched on and cannot go out says so, instead of staying silent (PRODUCT.md §9). */
export function MailLacks({ lacks, children }: { lacks: readonly MailLack[]; children?: ReactNode }) {
  return lacks.length === 0 ? null : (
    <Message kind="warning" title="Le email non partono">
      <p>
        {lacksText(lacks)} {children}
      </p>
    </Message>
  );
}
