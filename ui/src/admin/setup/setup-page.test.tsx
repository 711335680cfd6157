import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { MemoryRouter, Route, Routes, useLocation } from 'react-router-dom';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Department } from '../../shared/api/schema';
import { arrivals, lineDown, noContent, problem, type Request, serve } from '../../shared/testing/server';
import { BrandingProvider } from '../common/branding';
import { SessionProvider } from '../common/session/session-context';
import { sampleSecurity } from '../testing/sample-settings';
import { sampleBranding, sampleDepartment, sampleDepartments, sampleSession } from '../testing/samples';
import { linesOf } from './departments-step';
import { SetupPage } from './setup-page';

const PASSWORD = 'quattro cavalli verdi';
const CODE = 'BCDF-GHJK-LMNP-RSTV';

let calls: Request[];
let answers: Response[];

beforeEach(() => {
  answers = [];
  calls = serve(() => answers.shift() ?? lineDown());
});

function open(hash: string) {
  const session = sampleSession();
  render(
    <BrandingProvider branding={sampleBranding}>
      <SessionProvider value={session}>
        <MemoryRouter initialEntries={[`/setup${hash}`]}>
          <Routes>
            <Route path="/setup" element={<SetupPage />} />
            <Route path="/admin" element={<p>dentro</p>} />
          </Routes>
          <Address />
        </MemoryRouter>
      </SessionProvider>
    </BrandingProvider>,
  );
}

function Address() {
  const { pathname, hash } = useLocation();
  return <output data-testid="address">{pathname + hash}</output>;
}

const fill = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const press = async (name: string) => {
  await act(async () => {
    fireEvent.click(screen.getByRole('button', { name }));
    await arrivals();
  });
};
const choose = async (password: string) => {
  fill('Nuova password', password);
  fill('Ripeti la password', password);
  await press('Continua');
};

/** The code typed back, and what the panel then says of its rules. */
const complete = async (rules = Response.json(sampleSecurity())) => {
  answers = [noContent(), rules];
  fill('Codice di recupero', ` ${CODE} `);
  await press('Continua');
};
const given = () => Response.json(sampleDepartments());
const reachRules = async (rules?: Response) => {
  answers = [Response.json({ recoveryCode: CODE })];
  await choose(PASSWORD);
  await press('Ho conservato il codice');
  await complete(rules);
};

const desk = (key: string, name: string) => sampleDepartment({ key, name });

describe('the first set-up', () => {
  it('takes the token out of the address at once', () => {
    open('#segreto');
    expect(screen.getByTestId('address').textContent).toBe('/setup');
    expect(screen.getByRole('heading', { name: 'Configura il pannello' })).toBeInTheDocument();
  });

  it('goes on only with two equal passwords of twelve characters', async () => {
    open('#segreto');
    fill('Nuova password', 'corta');
    fill('Ripeti la password', 'corta');
    await press('Continua');
    fill('Nuova password', PASSWORD);
    await press('Continua');
    expect(calls).toEqual([]);
    expect(screen.getByText('Le due password sono uguali')).not.toHaveAttribute('data-met');
  });

  it('shows the code once, and wants it typed back', async () => {
    open('#segreto');
    answers = [Response.json({ recoveryCode: CODE })];
    await choose(PASSWORD);
    expect(calls[0]).toMatchObject({
      path: '/setup/recovery-code',
      body: { token: 'segreto', password: PASSWORD },
    });
    expect(screen.getByText('GHJK-')).toBeInTheDocument();
    await press('Ho conservato il codice');
    expect(screen.queryByText('GHJK-')).toBeNull();
    answers = [problem(422, 'dati-non-validi', { errors: { recoveryCode: 'Il codice non corrisponde.' } })];
    fill('Codice di recupero', 'BCDF');
    await press('Continua');
    expect(screen.getByLabelText('Codice di recupero')).toHaveAccessibleDescription(/non corrisponde/);
    expect(screen.getByLabelText('Codice di recupero')).toHaveFocus();
    await complete();
    expect(calls[2]?.body).toEqual({ token: 'segreto', password: PASSWORD, recoveryCode: CODE });
    expect(screen.getByRole('heading', { name: 'Che cosa serve per segnalare' })).toBeInTheDocument();
  });

  it('asks once what a report needs, with what each costs, and saves only what was changed', async () => {
    open('#segreto');
    await reachRules();
    for (const name of ['Telefono obbligatorio', 'Email obbligatoria', 'Indirizzo obbligatorio']) {
      expect(screen.getByRole('switch', { name })).toBeChecked();
      expect(screen.getByRole('switch', { name })).toHaveAccessibleDescription(
        /Se è obbligatori[oa], .*Altrimenti, /,
      );
    }
    const phones = screen.getByRole('switch', { name: 'Accetta anche telefoni fissi ed esteri' });
    expect(phones).not.toBeChecked();
    fireEvent.click(phones);
    fireEvent.click(screen.getByRole('switch', { name: 'Email obbligatoria' }));
    answers = [problem(500, 'errore-interno'), Response.json(sampleSecurity()), given()];
    await press('Continua');
    expect(screen.getByRole('alert')).toHaveTextContent('Configurazione non riuscita');
    expect(phones).toBeChecked();
    await press('Continua');
    const saved = {
      path: '/settings/security',
      body: { acceptOtherPhones: true, emailRequired: false },
    };
    expect(calls.slice(-3, -1)).toMatchObject([saved, saved]);
    expect(screen.getByRole('heading', { name: 'I reparti' })).toBeInTheDocument();
  });

  it('leads into the panel with the defaults, and where they cannot be read', async () => {
    open('#segreto');
    await reachRules();
    answers = [given()];
    await press('Continua');
    const before = calls.length;
    expect(
      screen.getByLabelText(/^Tieni i reparti che ci sono: Corruzione\/Politica, .*Sicurezza$/),
    ).toBeChecked();
    await press('Continua');
    expect(calls).toHaveLength(before);
    expect(screen.getByText('dentro')).toBeInTheDocument();
    cleanup();
    open('#segreto');
    await reachRules(problem(401, 'non-autenticato'));
    expect(screen.getByText('dentro')).toBeInTheDocument();
  });

  const OWN = 'I tuoi reparti, uno per riga';
  const [lavoro, scuola] = [desk('lavoro', 'Lavoro'), desk('scuola', 'Scuola')];
  const general = desk('generale', 'Redazione Generale');
  const list = (version: number, ...data: Department[]) =>
    Response.json(sampleDepartments({ data: [...data, general], version }));
  const reachDepartments = async () => {
    open('#segreto');
    await reachRules();
    answers = [list(1, lavoro, scuola)];
    await press('Continua');
    fireEvent.click(screen.getByLabelText('Scrivi i tuoi'));
  };
  const changesSince = (before: number) => calls.slice(before).filter(({ method }) => method !== 'GET');

  it('takes the newsroom’s own departments, and goes on after a fault where it was', async () => {
    await reachDepartments();
    const typed = 'Cronaca nera: cronaca@esempio.example\n\nSport\nscuola';
    fill(OWN, typed);
    const cronaca = desk('cronaca-nera', 'Cronaca nera');
    const before = calls.length;
    answers = [
      list(1, lavoro, scuola),
      noContent(),
      list(2, scuola),
      list(3, scuola, cronaca),
      problem(500, 'errore-interno'),
      list(3, scuola, cronaca),
    ];
    await press('Continua');
    expect(screen.getByRole('alert')).toHaveTextContent('Configurazione non riuscita');
    expect(screen.getByLabelText(OWN)).toHaveValue(typed);
    expect(screen.getByLabelText('Tieni i reparti che ci sono: Scuola, Cronaca nera')).not.toBeChecked();
    const sport = desk('sport', 'Sport');
    answers = [
      list(3, scuola, cronaca),
      list(3, scuola, cronaca),
      list(3, scuola, cronaca),
      list(4, scuola, cronaca, sport),
      list(5, cronaca, sport, scuola),
    ];
    await press('Continua');
    expect(screen.getByText('dentro')).toBeInTheDocument();
    const changes = changesSince(before);
    expect(changes.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['DELETE', '/departments/lavoro', undefined],
      ['POST', '/departments', { name: 'Cronaca nera', email: 'cronaca@esempio.example' }],
      ['POST', '/departments', { name: 'Sport', email: '' }],
      ['PATCH', '/departments/cronaca-nera', { email: 'cronaca@esempio.example' }],
      ['POST', '/departments', { name: 'Sport', email: '' }],
      ['PUT', '/departments/order', { keys: ['cronaca-nera', 'sport', 'scuola'] }],
    ]);
    const versions = [null, '"2"', '"3"', '"3"', '"3"', '"4"'];
    expect(changes.map(({ headers }) => headers.get('if-match'))).toEqual(versions);
  });

  it('names no department that is kept where a fault leaves unknown which there are', async () => {
    await reachDepartments();
    fill(OWN, 'Sport');
    answers = [list(1, lavoro, scuola), noContent()];
    await press('Continua');
    fireEvent.click(screen.getByLabelText('Tieni i reparti che ci sono'));
    await press('Continua');
    expect(screen.getByText('dentro')).toBeInTheDocument();
  });

  it.each([
    ['Cronaca\nX', /«X»: Il nome deve avere da 2 a 40 caratteri/],
    [`Cronaca\n${'N'.repeat(41)} n@a.it`, /«N{41} n@a\.it»: Il nome deve/],
    ['Cronaca\nsenza@nome.it', /«senza@nome\.it»: Il nome deve/],
    ['Sanità\nSport\nSANITA', /«SANITA»: C’è già un reparto con questo nome/],
    ["L’Aquila\nL'aquila", /«L'aquila»: C’è già/],
    ['Due  parole\ndue parole', /«due parole»: C’è già/],
    ['Sport\nredazione generale', /«redazione generale»: C’è già/],
    ['Cronaca xx@', /«Cronaca xx@»: Non è un indirizzo email, come .*: xx@\./],
    ['Cronaca @esempio.it', /: @esempio\.it\./],
    ['Cronaca capo@esempio', /: capo@esempio\./],
    ['Cronaca capo@esempio..it', /: capo@esempio\.\.it\./],
    ['Cronaca a@b@esempio.it', /: a@b@esempio\.it\./],
    [
      `Cronaca ${Array.from({ length: 21 }, (_, at) => `c${at}@a.it`).join(' ')}`,
      /al massimo 20 indirizzi email/,
    ],
    [
      Array.from({ length: 26 }, (_, at) => `Reparto ${at + 1}`).join('\n'),
      /«Reparto 25»: I reparti possono essere al massimo 24/,
    ],
  ])('changes no department before every line can be taken: %j', async (typed, said) => {
    await reachDepartments();
    fill(OWN, typed);
    const before = calls.length;
    answers = [list(1, lavoro, scuola), list(1, lavoro, scuola)];
    await press('Continua');
    expect(screen.getByLabelText(OWN)).toHaveAccessibleDescription(said);
    expect(screen.getByLabelText(OWN)).toHaveValue(typed);
    expect(changesSince(before)).toEqual([]);
    expect(screen.getByLabelText('Tieni i reparti che ci sono: Lavoro, Scuola')).toBeInTheDocument();
  });

  it('shows a refused password at its field each time, until it is edited', async () => {
    open('#segreto');
    for (let round = 0; round < 2; round += 1) {
      answers = [problem(422, 'dati-non-validi', { errors: { password: 'Troppo comune.' } })];
      await choose(`passwordpassword${round}`);
      expect(screen.getByLabelText('Nuova password')).toHaveAccessibleDescription(/Troppo comune/);
      expect(screen.getByLabelText('Nuova password')).toHaveFocus();
    }
    fill('Nuova password', PASSWORD);
    await vi.waitFor(() => expect(screen.getByLabelText('Nuova password')).toBeValid());
  });

  it.each([
    ['', null, 'Link non valido'],
    ['#scaduto', problem(401, 'link-non-valido'), 'Link non valido'],
    ['#tardi', problem(409, 'gia-configurato'), 'Il pannello è già configurato'],
  ])('with %j ends where it can be put right', async (hash, answer, heading) => {
    open(hash);
    if (answer) {
      answers = [answer];
      await choose(PASSWORD);
    }
    expect(screen.getByRole('heading', { name: heading })).toBeInTheDocument();
    expect(screen.getByText(/segnalazioni reset-password/)).toBeInTheDocument();
  });

  it('keeps what was typed when the server could not be reached', async () => {
    open('#segreto');
    answers = [problem(500, 'errore-interno')];
    await choose(PASSWORD);
    expect(screen.getByRole('alert')).toHaveTextContent('Configurazione non riuscita');
    expect(screen.getByLabelText('Nuova password')).toHaveValue(PASSWORD);
  });
});

it.each([
  ['Cronaca', [{ name: 'Cronaca', email: '' }]],
  [' Cronaca ,  cronaca@a.it; capo@a.it \r\n\n', [{ name: 'Cronaca', email: 'cronaca@a.it, capo@a.it' }]],
  ['Esteri <esteri@a.it>', [{ name: 'Esteri', email: 'esteri@a.it' }]],
  ['Sport e spettacoli\tsport@a.it', [{ name: 'Sport e spettacoli', email: 'sport@a.it' }]],
  [
    'Salento: salento@a.it\nSport',
    [
      { name: 'Salento', email: 'salento@a.it' },
      { name: 'Sport', email: '' },
    ],
  ],
  ['senza@nome.it', [{ name: '', email: 'senza@nome.it' }]],
  ['Cronaca  nera xx@', [{ name: 'Cronaca nera', email: 'xx@' }]],
  [' \n,', []],
])('reads a department a line: %j', (text, lines) => {
  expect(linesOf(text)).toEqual(lines);
});
