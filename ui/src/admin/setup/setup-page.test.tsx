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
    expect(screen.getByLabelText(/^Tieni i sei .*: Corruzione\/Politica, .*Sicurezza$/)).toBeChecked();
    await press('Continua');
    expect(calls).toHaveLength(before);
    expect(screen.getByText('dentro')).toBeInTheDocument();
    cleanup();
    open('#segreto');
    await reachRules(problem(401, 'non-autenticato'));
    expect(screen.getByText('dentro')).toBeInTheDocument();
  });

  it('takes the newsroom’s own departments, and goes on after a refusal where it was', async () => {
    open('#segreto');
    await reachRules();
    answers = [
      Response.json(sampleDepartments({ data: [desk('lavoro', 'Lavoro'), desk('scuola', 'Scuola')] })),
    ];
    await press('Continua');
    fireEvent.click(screen.getByLabelText('Scrivi i tuoi'));
    const typed = 'Cronaca nera: cronaca@esempio.example\nX\n\nscuola';
    fill('I tuoi reparti, uno per riga', typed);
    const cronaca = desk('cronaca-nera', 'Cronaca nera');
    const before = calls.length;
    const list = (version: number, ...data: Department[]) =>
      Response.json(sampleDepartments({ data, version }));
    const [lavoro, scuola] = [desk('lavoro', 'Lavoro'), desk('scuola', 'Scuola')];
    answers = [
      list(1, lavoro, scuola),
      noContent(),
      list(2, scuola),
      list(3, scuola, cronaca),
      problem(422, 'dati-non-validi', { errors: { name: 'Il nome deve avere da 2 a 40 caratteri.' } }),
    ];
    await press('Continua');
    const area = screen.getByLabelText('I tuoi reparti, uno per riga');
    expect(area).toHaveAccessibleDescription(/«X»: Il nome deve avere da 2 a 40 caratteri\./);
    expect(area).toHaveValue(typed);
    const sport = desk('sport', 'Sport');
    fill('I tuoi reparti, uno per riga', 'Cronaca nera: cronaca@esempio.example\nSport\nscuola');
    answers = [
      list(3, scuola, cronaca),
      list(3, scuola, cronaca),
      list(3, scuola, cronaca),
      list(4, scuola, cronaca, sport),
      list(5, cronaca, sport, scuola),
    ];
    await press('Continua');
    expect(screen.getByText('dentro')).toBeInTheDocument();
    const changes = calls.slice(before).filter(({ method }) => method !== 'GET');
    expect(changes.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['DELETE', '/departments/lavoro', undefined],
      ['POST', '/departments', { name: 'Cronaca nera', email: 'cronaca@esempio.example' }],
      ['POST', '/departments', { name: 'X', email: '' }],
      ['PATCH', '/departments/cronaca-nera', { email: 'cronaca@esempio.example' }],
      ['POST', '/departments', { name: 'Sport', email: '' }],
      ['PUT', '/departments/order', { keys: ['cronaca-nera', 'sport', 'scuola'] }],
    ]);
    expect(changes.map(({ headers }) => headers.get('if-match'))).toEqual([
      null,
      '"2"',
      '"3"',
      '"3"',
      '"3"',
      '"4"',
    ]);
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
    ['', null, 'Collegamento non valido'],
    ['#scaduto', problem(401, 'link-non-valido'), 'Collegamento non valido'],
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
  [' \n,', []],
])('reads a department a line: %j', (text, lines) => {
  expect(linesOf(text)).toEqual(lines);
});
