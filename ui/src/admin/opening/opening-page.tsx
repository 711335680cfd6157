/** The points to settle before the public comes, each with its page. The list goes once all of them are settled. */
import { Check } from 'lucide-react';
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { SystemSettings } from '../../shared/api/schema';
import { Card } from '../../shared/ui/card';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Failure, Send, useAction } from '../common/action';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { type SettingsPage, TITLES } from '../common/settings-pages';
import { useRead, useRefresh } from '../common/use-read';
import { OPENINGS, type Opening } from './opening-card';
import { PasskeyAdvice } from './passkey-advice';

interface Point {
  title: string;
  about: string;
  pages: readonly SettingsPage[];
  /** The section of the chat's phrases where it is said. */
  phrases?: string;
}

const POINTS: Readonly<Record<Opening, Point>> = {
  posta: {
    title: 'La posta',
    about:
      'Il server di posta, il mittente e chi riceve: così una segnalazione non resta ad aspettare nel pannello.',
    pages: ['email/mail-server', 'email/recipients'],
  },
  reparti: {
    title: 'I reparti',
    about: 'A quale indirizzo va ogni argomento. Senza, va tutto agli stessi destinatari.',
    pages: ['email/departments'],
  },
  domande: {
    title: 'Le domande',
    about:
      'Quali dati sono obbligatori, e se valgono fissi e numeri stranieri: chi non li ha non può segnalare.',
    pages: ['security/rules'],
  },
  recapiti: {
    title: 'Un’altra via',
    about:
      'A chi non ha un dato obbligatorio la chat dice dove scrivere o telefonare: indica un indirizzo o un numero.',
    pages: ['security/rules'],
    phrases: 'guide',
  },
  promesse: {
    title: 'Le promesse',
    about: 'Entro quanti giorni una segnalazione viene letta, ed entro quanti chi scrive sa com’è finita.',
    pages: ['system/receipts'],
  },
  backup: {
    title: 'Il backup',
    about: 'Ogni quanto il server salva una copia, e dove la porti.',
    pages: ['system/backup'],
  },
  amministratore: {
    title: 'Un secondo amministratore',
    about: 'Se uno non c’è, o perde l’accesso, qualcun altro può far entrare i colleghi.',
    pages: ['security/people'],
  },
};

export function OpeningPage() {
  const alerts = useRead('/system/alerts', { background: true });
  const system = useRead('/settings/system', { background: true });
  return (
    <Page
      title="Prima di aprire"
      subtitle="Quello che conviene decidere prima che il pubblico cominci a scrivere"
    >
      <Loaded query={alerts} loading="Caricamento…" failed="Non è stato possibile leggere che cosa manca">
        {({ opening }) => (
          <Loaded query={system} loading="Caricamento…" failed="Non è stato possibile leggere che cosa manca">
            {(settings) => <Points open={opening} settings={settings} />}
          </Loaded>
        )}
      </Loaded>
      <PasskeyAdvice />
    </Page>
  );
}

function Points({ open, settings }: { open: readonly string[]; settings: SystemSettings }) {
  const action = useAction();
  const refresh = useRefresh();
  const settle = (point: Opening) =>
    void action.run(async () => {
      const { openingSettled } = settings;
      const all = [openingSettled, point].filter((one) => one !== '').join(', ');
      await call('put', '/settings/system', { body: { openingSettled: all } as SystemSettings });
      await refresh('/system/alerts', '/settings/system');
      return `Deciso: ${POINTS[point].title}`;
    });
  return (
    <Card>
      <Stack gap={4}>
        {open.length === 0 ? <p>È tutto deciso: il pubblico può cominciare.</p> : null}
        <Stack as="ol" lined aria-label="Punti">
          {OPENINGS.map((point) => {
            const { title, about, pages, phrases } = POINTS[point];
            const settled = !open.includes(point);
            return (
              <Row as="li" key={point} justify="between" align="start">
                <Stack gap={1}>
                  <Row gap={2} data-tone={settled ? 'green' : undefined}>
                    {settled ? <Check /> : null}
                    <Text strong>
                      {title}
                      {settled ? <span className="visually-hidden">, deciso</span> : null}
                    </Text>
                  </Row>
                  <Text tone="muted">{about}</Text>
                  <Row gap={4}>
                    {pages.map((page) => (
                      <Link key={page} to={paths.setting(page)}>
                        {TITLES[page]}
                      </Link>
                    ))}
                    {phrases ? (
                      <Link to={`${paths.prompts}?sezione=${phrases}`}>Frasi della chat</Link>
                    ) : null}
                  </Row>
                </Stack>
                {settled ? null : (
                  <Send variant="quiet" busy={action.busy} about={title} onClick={() => settle(point)}>
                    Va bene così
                  </Send>
                )}
              </Row>
            );
          })}
        </Stack>
        <Failure of={action} title="Non salvato" />
      </Stack>
    </Card>
  );
}
