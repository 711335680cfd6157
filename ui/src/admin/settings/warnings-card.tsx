import { ShieldCheck, TriangleAlert } from 'lucide-react';
import { Link } from 'react-router-dom';
import type { Security } from '../../shared/api/schema';
import { buttonClass } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { paths } from '../common/paths';

/** The gaps in the settings in force, each with a link to its setting. */
export function WarningsCard({ security }: { security: Security }) {
  const warnings = warningsOf(security, window.isSecureContext);
  return (
    <Card title="Avvisi di sicurezza">
      {warnings.length === 0 ? (
        <Row as="p" nowrap data-tone="green">
          <ShieldCheck />
          Nessun avviso: le impostazioni salvate non lasciano nulla di aperto.
        </Row>
      ) : (
        <Stack as="ul" lined>
          {warnings.map(({ setting, title, text }) => (
            <Row as="li" key={title} nowrap data-tone="yellow">
              <TriangleAlert />
              <div>
                <Text strong>{title}</Text>
                <Text tone="muted" small>
                  {text}
                </Text>
              </div>
              {setting ? (
                <Link
                  className={buttonClass}
                  data-variant="quiet"
                  aria-label={`Vai all’impostazione: ${title}`}
                  to={paths.setting(
                    setting === 'enableLogging' ? 'security/log' : 'security/access',
                    setting,
                  )}
                >
                  Vai
                </Link>
              ) : null}
            </Row>
          ))}
        </Stack>
      )}
    </Card>
  );
}

/** Minutes without activity after which a session left open begins to be a risk: twice the default. */
const LONG_SESSION = 120;

/** `setting`: where it is set, if it is set in the panel. */
interface SecurityWarning {
  setting?: keyof Security;
  title: string;
  text: string;
}

/** Warnings of what is saved, the gravest first. `encrypted`: the connection from browser to server is. */
export function warningsOf(security: Security, encrypted: boolean): readonly SecurityWarning[] {
  const known: (SecurityWarning & { holds: boolean })[] = [
    {
      holds: !encrypted,
      title: 'Connessione non cifrata',
      text: 'Il pannello è aperto su http: chi è sulla stessa rete può leggere password e segnalazioni. Chi gestisce il server deve attivare HTTPS.',
    },
    {
      holds: !security.enableRateLimiting,
      setting: 'enableRateLimiting',
      title: 'Tentativi di accesso illimitati',
      text: 'Chiunque può provare password senza fine.',
    },
    {
      holds: security.allowedIPs.trim() === '',
      setting: 'allowedIPs',
      title: 'Pannello raggiungibile da ogni indirizzo',
      text: 'Se lavorate da una rete fissa, autorizzate solo gli indirizzi della redazione.',
    },
    {
      holds: !security.enableLogging,
      setting: 'enableLogging',
      title: 'Registro degli accessi spento',
      text: 'Non resta traccia di chi entra e di quali segnalazioni apre o modifica.',
    },
    {
      holds: security.sessionTimeout > LONG_SESSION,
      setting: 'sessionTimeout',
      title: 'Sessione molto lunga',
      text: `Un computer lasciato incustodito resta collegato per ${security.sessionTimeout} minuti.`,
    },
  ];
  return known.filter(({ holds }) => holds);
}
