import { type Answer, call } from '../../shared/api/client';
import { formatDateTime } from '../../shared/lib/dates';
import { Badge } from '../../shared/ui/badge';
import { Card } from '../../shared/ui/card';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Failure, Send, useAction } from '../common/action';
import { browserOf } from '../common/browser';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { PasswordForm } from '../common/password-form';
import { ROLE_NAMES } from '../common/people/people';
import { useRights } from '../common/session/session-context';
import { ThemeChoice } from '../common/theme-choice';
import { useRead, useRefresh } from '../common/use-read';
import { NoticesCard } from './notices-card';
import { PasskeysCard } from './passkeys-card';
import { SecondFactorCard } from './second-factor';

export function AccountPage() {
  const { who } = useRights();
  return (
    <Page
      title="Il tuo accesso"
      subtitle={who ? `${who.name} · ${who.user} · ${ROLE_NAMES[who.role]}` : undefined}
    >
      {who ? <NoticesCard /> : null}
      <PasskeysCard />
      {who ? <SecondFactorCard who={who} /> : null}
      <Card>
        <PasswordForm user={who?.user} />
      </Card>
      <Card title="Aspetto">
        <ThemeChoice />
      </Card>
      <SessionsCard />
    </Page>
  );
}

type Session = Answer<'/account/sessions'>['data'][number];

const nameOf = ({ userAgent }: Session) => browserOf(userAgent) || 'Browser sconosciuto';

function SessionsCard() {
  const sessions = useRead('/account/sessions', { background: true });
  const refresh = useRefresh();
  const action = useAction();
  const end = (one: Session | null) =>
    void action.run(async () => {
      await (one
        ? call('delete', '/account/sessions/{id}', { path: { id: one.id } })
        : call('delete', '/account/sessions', {}));
      await refresh('/account/sessions');
      return one ? 'Sessione terminata.' : 'Le altre sessioni sono terminate.';
    });
  return (
    <Card title="Dove sei collegato">
      <Loaded
        query={sessions}
        loading="Caricamento delle sessioni…"
        failed="Non è stato possibile leggere le sessioni"
      >
        {({ data }) => (
          <Stack>
            <Stack as="ul" lined aria-label="Sessioni">
              {data.map((one) => (
                <Row as="li" key={one.id} justify="between">
                  <div>
                    <Row gap={2}>
                      <Text strong>{nameOf(one)}</Text>
                      {one.current ? <Badge tone="green">Questa</Badge> : null}
                    </Row>
                    <Text tone="muted" small digits>
                      {`Dal ${formatDateTime(one.created)} · ultima attività ${formatDateTime(one.lastSeen)}`}
                    </Text>
                  </div>
                  {one.current ? null : (
                    <Send
                      busy={action.busy}
                      about={`${nameOf(one)}, dal ${formatDateTime(one.created)}`}
                      onClick={() => end(one)}
                    >
                      Termina
                    </Send>
                  )}
                </Row>
              ))}
            </Stack>
            {data.length > 2 ? (
              <div>
                <Send busy={action.busy} onClick={() => end(null)}>
                  Termina tutte le altre
                </Send>
              </div>
            ) : null}
          </Stack>
        )}
      </Loaded>
      <Failure of={action} title="Sessione non terminata" />
    </Card>
  );
}
