/** The page before any script runs, with the server's slots. Must equal the first render in the browser. */
import { renderToString } from 'react-dom/server';
import type { Boot } from '../shared/lib/boot';
import { Page } from './page';

const database = '__DATABASE__' as Boot['status']['database'];
/** A slot where the browser's page has a number or a boolean. */
const slot = (name: string) => name as never;
const slots: Boot = {
  branding: {
    productName: '__PRODUCT_NAME__',
    assistantName: '__ASSISTANT_NAME__',
    organizationName: '__ORGANIZATION__',
    logoUrl: '__ICON__',
    primaryColor: '',
    darkMode: true,
    deviceTheme: false,
  },
  privacy: { text: '__PRIVACY_TEXT__', url: '__PRIVACY_URL__', version: '' },
  welcome: '',
  callout: {
    slug: '__CALLOUT_SLUG__',
    title: '__CALLOUT_TITLE__',
    intro: '__CALLOUT_INTRO__',
    closedText: '__CALLOUT_CLOSED__',
  },
  demoNotice: '__DEMO_NOTICE__',
  attachments: { maxMb: 0, perReport: slot('__FILES__') },
  receipts: slot('__RECEIPTS__'),
  quickExitUrl: '__QUICK_EXIT__',
  status: { database, version: '', siege: false, appearance: 0 },
};

export function renderShell(): string {
  return renderToString(<Page boot={slots} />);
}
