import { Outlet } from 'react-router-dom';
import { Message } from '../../shared/ui/message';
import { Page } from '../common/page';
import { useRights } from '../common/session/session-context';

/** Around the pages of administrators: others are told so, and nothing is asked for. The server decides. */
export function Closed() {
  return useRights().administers ? (
    <Outlet />
  ) : (
    <Page title="Solo per chi amministra">
      <Message kind="info">
        <p>Il tuo ruolo non lo permette.</p>
      </Message>
    </Page>
  );
}
