/** Fills the server's slots while developing with `npm run dev`. Must never take part in a build. */
import type { Plugin } from 'vite';

const boot = {
  branding: {
    productName: 'PelazzAI',
    assistantName: 'PelazzAI',
    organizationName: 'Le Iene',
    logoUrl: null,
    primaryColor: '#2563eb',
    darkMode: true,
  },
  privacy: {
    text: 'I tuoi dati servono solo alla redazione per valutare la segnalazione.',
    url: null,
    version: 1,
  },
  welcome: 'Ciao! Sono PelazzAI. Per cominciare, quanti anni hai?',
  attachments: { maxMb: 200, perReport: 10 },
  receipts: true,
  status: { database: 'demo', version: 'dev', appearance: 0 },
};

const slots: Record<string, string> = {
  __PRODUCT_NAME__: boot.branding.productName,
  __TITLE__: boot.branding.productName,
  __ORGANIZATION__: boot.branding.organizationName,
  __FILES__: '10',
  __RECEIPTS__: 'true',
  __CALLOUT_TITLE__: '',
  __CALLOUT_INTRO__: '',
  __CALLOUT_CLOSED__: '',
  __DATABASE__: boot.status.database,
  __EXPLAIN__: 'Quello che scrivi lo legge la redazione.',
  __AFTERWARDS__: 'La redazione valuta la segnalazione.',
  __PRIVACY_TEXT__: boot.privacy.text,
  __PRIVACY_URL__: '',
  __THEME__: 'dark light',
  __PRIMARY__: '#2563eb',
  __STYLE__: 'dev',
  __ICON__: 'data:,',
  __TOUCH_ICON__: 'data:,',
  __DESCRIPTION__: 'Racconta la tua segnalazione.',
  __BOOT__: JSON.stringify(boot).replaceAll('<', '\\u003c'),
};

export function devSlots(): Plugin {
  return {
    name: 'dev-slots',
    apply: 'serve',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const path = request.url?.split('?')[0] ?? '';
        if (path.startsWith('/paibeta/style/')) {
          response.setHeader('content-type', 'text/css').end(':root{--primary:#2563eb;--on-primary:#fff}');
          return;
        }
        if (/^\/paibeta\/?$/.test(path)) {
          request.url = '/paibeta/public.html';
        } else if (path === '/paibeta/seguito') {
          request.url = '/paibeta/seguito.html';
        } else if (/^\/paibeta\/(login|setup|invito|admin)(\/|$)/.test(path)) {
          request.url = '/paibeta/admin.html';
        }
        next();
      });
    },
    transformIndexHtml: {
      order: 'pre',
      handler: (html) =>
        Object.entries(slots).reduce((text, [slot, value]) => text.replaceAll(slot, value), html),
    },
  };
}
