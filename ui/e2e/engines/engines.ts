/** The engines beside Chromium's, as Debian has them. */
import type { Engine } from './driver';

const MINI_BROWSER = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser';

export const ENGINES: readonly Engine[] = [
  {
    name: 'Firefox',
    driver: (port) => [process.env.GECKODRIVER ?? 'geckodriver', ['--port', String(port)]],
    capabilities: {
      'moz:firefoxOptions': {
        args: ['-headless'],
        // Passkeys of a device that the driver pretends to have, and of no other.
        prefs: {
          'security.webauth.webauthn_enable_softtoken': true,
          'security.webauth.webauthn_enable_usbtoken': false,
        },
      },
    },
  },
  {
    name: 'WebKit',
    driver: (port) => ['xvfb-run', ['-a', 'WebKitWebDriver', `--port=${port}`]],
    capabilities: {
      'webkitgtk:browserOptions': {
        binary: process.env.MINI_BROWSER ?? MINI_BROWSER,
        args: ['--automation'],
      },
    },
  },
];
