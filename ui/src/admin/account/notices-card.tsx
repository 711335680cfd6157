/** Notices by mail: one's own address, which a link confirms, and when they come. */
import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import { type Answer, call } from '../../shared/api/client';
import { Card } from '../../shared/ui/card';
import { Form } from '../../shared/ui/form';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Switch } from '../../shared/ui/switch';
import { TextField } from '../../shared/ui/text-field';
import { type Action, Failure, Send, useAction } from '../common/action';
import { errorsOf } from '../common/errors';
import { Loaded } from '../common/loaded';
import { useRead, useRefresh } from '../common/use-read';

export function NoticesCard() {
  const action = useAction();
  const following = useFollowedLink(action);
  // Read after it, or the answer from before would stand.
  const account = useRead('/account', { background: true, enabled: !following });
  return (
    <Card title="Avvisi per email">
      <Stack gap={4}>
        <Text tone="muted">
          Quante segnalazioni ti aspettano, e il link al pannello: nessun nome e nessun contenuto.
        </Text>
        <Loaded
          query={account}
          loading="Caricamento degli avvisi…"
          failed="Non è stato possibile leggere gli avvisi"
        >
          {(saved) => <NoticesForm key={saved.email} saved={saved} action={action} />}
        </Loaded>
        <Failure of={action} title="Avvisi non salvati" />
      </Stack>
    </Card>
  );
}

/** The link of the mail was followed: the address counts, and the word leaves the address bar. True until that is known. */
function useFollowedLink(action: Action): boolean {
  const [search, setSearch] = useSearchParams();
  const [token] = useState(() => search.get('email'));
  const [following, setFollowing] = useState(token !== null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each link
  useEffect(() => {
    if (token === null) {
      return;
    }
    setSearch({}, { replace: true });
    const confirm = async () => {
      await call('post', '/account/email', { body: { token } });
      return 'Indirizzo confermato.';
    };
    void action.run(confirm).then(() => setFollowing(false));
  }, [token]);
  return following;
}

/** `8`, `8:30` and `14.00` are hours too. What is none goes to the server as it was typed. */
export function hoursOf(typed: string): string[] {
  const words = typed.split(/[\s,;]+/).filter((word) => word !== '');
  return words.map((word) => {
    const [, hour, minutes = '00'] = /^(\d{1,2})(?:[:.](\d{2}))?$/.exec(word) ?? [];
    return hour === undefined ? word : `${hour.padStart(2, '0')}:${minutes}`;
  });
}

function NoticesForm({ saved, action }: { saved: Answer<'/account'>; action: Action }) {
  const refresh = useRefresh();
  const [email, setEmail] = useState(saved.email);
  const [hours, setHours] = useState(saved.notices.hours.join(', '));
  const [urgent, setUrgent] = useState(saved.notices.urgent);
  const wrong = errorsOf(action.failure);
  const typed = email.trim();
  const save = async () => {
    const notices = { hours: hoursOf(hours), urgent };
    await call('put', '/account', { body: { email: typed, notices } });
    if (typed !== '' && typed !== saved.email) {
      return `Abbiamo scritto a ${typed}: apri il link che trovi lì, entro 72 ore.`;
    }
    await refresh('/account');
    return 'Avvisi salvati.';
  };
  return (
    <Form onSubmit={() => void action.run(save)}>
      <TextField
        label="La tua email"
        type="email"
        hint={saved.email ? undefined : 'Ti mandiamo un link per confermarla.'}
        error={wrong.email}
        value={email}
        onValue={setEmail}
      />
      <TextField
        label="A che ora"
        hint="Per esempio 8:00, 14:00. Se lasci vuoto, nessun avviso a orario."
        error={wrong.notices}
        value={hours}
        onValue={setHours}
      />
      <Switch label="Subito, quando arriva una segnalazione urgente" checked={urgent} onChange={setUrgent} />
      <Row>
        <Send busy={action.busy}>Salva gli avvisi</Send>
      </Row>
    </Form>
  );
}
