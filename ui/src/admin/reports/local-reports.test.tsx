import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { LocalReports } from './local-reports';

const kept = {
  id: 1_795_000_000_000,
  name: 'Maria',
  surname: 'Rossi',
  email: 'maria@esempio.example',
  phone: '3331234567',
  address: 'Via Roma 1, Milano',
  report: 'Un racconto.',
  age: 34,
  timestamp: '2026-11-20T10:26:40.000Z',
  stato: 'Nuova',
  answers: {},
  conversation: 'segreta',
  text: 'no',
};

it('shows a kept report whose time cannot be read without it, and the others as ever', () => {
  const store = (id: number, timestamp: unknown) =>
    window.localStorage.setItem(`prova_report_${id}`, JSON.stringify({ ...kept, id, timestamp }));
  store(1, kept.timestamp);
  store(2, 'ieri');
  store(3, undefined);
  render(<LocalReports />);
  expect(screen.getAllByText(/^Maria Rossi, 20\/11\/2026 11:26\. Il server/)).toHaveLength(1);
  expect(screen.getAllByText(/^Maria Rossi\. Il server/)).toHaveLength(2);
});

it('reads one without a state as new', () => {
  const { stato: _, ...stateless } = kept;
  window.localStorage.setItem('prova_report_1', JSON.stringify(stateless));
  render(<LocalReports />);
  expect(screen.getByText('Stato Attuale').nextElementSibling).toHaveTextContent('Nuova');
});
