import { describe, expect, it } from 'vitest';
import { browserOf } from '../common/browser';
import { sampleSecurity } from '../testing/sample-settings';
import { addTo, entriesOf } from './controls';
import { warningsOf } from './warnings-card';

describe('lists in one line of text', () => {
  it('split where the server does', () => {
    expect(entriesOf(' uno, due ;\n\n tre,,\r\nquattro')).toEqual(['uno', 'due', 'tre', 'quattro']);
    expect(entriesOf(' , \n')).toEqual([]);
  });

  it('take each entry once, whatever its case', () => {
    expect(addTo(['Avvocato'], ['AVVOCATO', 'giudice', 'Giudice'])).toEqual(['Avvocato', 'giudice']);
  });
});

describe('warnings', () => {
  const titles = (...args: Parameters<typeof warningsOf>) => warningsOf(...args).map(({ title }) => title);

  it('are none where everything is shut', () => {
    expect(titles(sampleSecurity({ allowedIPs: '192.0.2.0/24' }), true)).toEqual([]);
  });

  it('name each thing that is open, the gravest first', () => {
    const open = sampleSecurity({
      allowedIPs: ' ',
      enableLogging: false,
      enableRateLimiting: false,
      sessionTimeout: 121,
    });
    expect(titles(open, false)).toEqual([
      'Connessione non cifrata',
      'Tentativi di accesso illimitati',
      'Pannello raggiungibile da ogni indirizzo',
      'Registro degli accessi spento',
      'Sessione molto lunga',
    ]);
    expect(titles(sampleSecurity({ sessionTimeout: 120 }), true)).toEqual([
      'Pannello raggiungibile da ogni indirizzo',
    ]);
  });
});

it('says in short which browser it was', () => {
  const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  expect(browserOf(`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/156.0.0.0 Safari/537.36`)).toBe(
    'Chrome 156 su Linux',
  );
  expect(
    browserOf(`Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0`),
  ).toBe('Edge 150 su Windows');
  expect(
    browserOf(
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1',
    ),
  ).toBe('Safari 19 su iPhone');
  expect(browserOf('curl/8.5.0')).toBe('curl/8.5.0');
});
