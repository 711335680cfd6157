/** What an administrator does at Microsoft before mail goes out without a password (PRODUCT.md §9). The commands bear what is typed. */
import { Row, Stack, Text } from '../../shared/ui/layout';
import { CopyButton } from '../common/copy-button';
import { Fold } from '../common/fold';

interface GuideProps {
  client: string;
  mailbox: string;
}

const commandsOf = (client: string, mailbox: string) =>
  [
    'Install-Module ExchangeOnlineManagement',
    'Connect-ExchangeOnline',
    `New-ServicePrincipal -AppId ${client || 'ID_APPLICAZIONE'} -ObjectId ID_OGGETTO`,
    `Add-MailboxPermission -Identity ${mailbox || 'CASELLA'} -User ID_OGGETTO -AccessRights FullAccess`,
    `Set-CASMailbox -Identity ${mailbox || 'CASELLA'} -SmtpClientAuthenticationDisabled $false`,
  ].join('\n');

export function MicrosoftGuide({ client, mailbox }: GuideProps) {
  const commands = commandsOf(client.trim(), mailbox.trim());
  return (
    <Fold title="Come si prepara Microsoft 365" note="sette passi, da amministratore">
      <Stack as="ol" gap={4} dotted>
        <li>
          Qui sotto, in «Utente», scrivi l’indirizzo intero della casella da cui partono le email, e lo stesso
          in «Mittente». I comandi del sesto passo lo riprendono.
        </li>
        <li>
          In <strong>entra.microsoft.com</strong>, «Registrazioni app», «Nuova registrazione»: un nome, solo
          account di questa directory, nessun URI. Dalla «Panoramica» copia qui «ID della directory (tenant)»
          e «ID applicazione (client)».
        </li>
        <li>
          «Certificati e segreti», «Nuovo segreto client»: copia subito qui la colonna «Valore», che poi non
          si rivede, e la data di scadenza.
        </li>
        <li>
          «Autorizzazioni API», «Aggiungi un’autorizzazione», «API usate dall’organizzazione», «Office 365
          Exchange Online», «Autorizzazioni applicazione», <strong>SMTP.SendAsApp</strong>. Poi «Concedi
          consenso amministratore».
        </li>
        <li>
          «Applicazioni aziendali», la stessa applicazione: copia «ID oggetto». È un altro rispetto a quello
          in «Registrazioni app».
        </li>
        <li>
          <Stack gap={2}>
            <p>In PowerShell, da amministratore di Exchange, con l’«ID oggetto» al suo posto:</p>
            <Text as="pre" mono small whole kept>
              <code>{commands}</code>
            </Text>
            <Row>
              <CopyButton text={commands} label="Copia i comandi" />
            </Row>
          </Stack>
        </li>
        <li>
          «Test Email», qui sotto. Un permesso nuovo può valere dopo un’ora: se Microsoft 365 rifiuta ancora,
          riprova più tardi.
        </li>
      </Stack>
    </Fold>
  );
}
