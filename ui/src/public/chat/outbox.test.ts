import { describe, expect, it, vi } from 'vitest';
import { keptReports } from '../../shared/lib/kept-reports';
import { on, problem } from '../../shared/testing/server';
import { discard, keep, toKeptReport } from './outbox';
import { deliver, waitAfter } from './use-outbox';

const answers = {
  age_check: 'ho 34 anni',
  collect_name: 'Maria',
  collect_surname: 'Rossi',
  collect_phone: '3331234567',
  collect_email: 'maria@example.it',
  collect_address: 'Via Roma 1, Milano',
  investigative_questions: 'Il racconto.',
};
const now = new Date('2026-11-21T10:00:00Z');
const turn = (text: string) => ({ conversation: 'token', step: 'collect_report', text }) as const;

describe('a kept report', () => {
  it('has the fields of the local fallback report, and what sends it again', () => {
    expect(toKeptReport(answers, turn('no'), now)).toEqual({
      id: now.getTime(),
      name: 'Maria',
      surname: 'Rossi',
      email: 'maria@example.it',
      phone: '3331234567',
      address: 'Via Roma 1, Milano',
      report: 'Il racconto.',
      age: 34,
      timestamp: '2026-11-21T10:00:00.000Z',
      stato: 'Nuova',
      answers,
      conversation: 'token',
      text: 'no',
    });
  });

  it('carries additional text under its heading', () => {
    const kept = toKeptReport(answers, turn('Ho anche le foto.'), now);
    expect(kept.report).toBe('Il racconto.\n\nINFORMAZIONI AGGIUNTIVE\nHo anche le foto.');
  });

  it('lies under the product and its id until it is discarded', () => {
    const kept = toKeptReport(answers, turn('no'), now);
    expect(keep('pelazzai', kept)).toBe(true);
    const key = `pelazzai_report_${kept.id}`;
    expect(window.localStorage.getItem(key)).not.toBeNull();
    expect(keptReports()).toEqual([{ key, report: kept }]);
    discard(key);
    expect(window.localStorage.length).toBe(0);
    expect(keptReports()).toEqual([]);
  });

  it('is found under whatever name the product had, oldest first', () => {
    const one = toKeptReport(answers, turn('no'), now);
    const older = { ...one, id: one.id - 1 };
    keep('nuovo-nome', one);
    keep('pelazzai', older);
    expect(keptReports().map(({ key }) => key)).toEqual([
      `pelazzai_report_${older.id}`,
      `nuovo-nome_report_${one.id}`,
    ]);
    discard(`pelazzai_report_${older.id}`);
    expect(keptReports()).toEqual([{ key: `nuovo-nome_report_${one.id}`, report: one }]);
  });

  it('leaves entries alone that it cannot read, with a warning that shows no content', () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    window.localStorage.setItem('pelazzai_report_1', '{');
    window.localStorage.setItem('pelazzai_report_2', '{"id":2,"report":"vecchio formato"}');
    window.localStorage.setItem('un_altro_report_3', JSON.stringify(toKeptReport(answers, turn('no'), now)));
    expect(keptReports()).toEqual([]);
    expect(window.localStorage.length).toBe(3);
    expect(warn.mock.calls).toEqual([
      ['local report skipped, it cannot be read: pelazzai_report_1'],
      ['local report skipped, it cannot be read: pelazzai_report_2'],
    ]);
  });
});

describe('a report deleted while its proof is looked for', () => {
  it('is not sent', async () => {
    const kept = toKeptReport(answers, turn('no'), now);
    keep('pelazzai', kept);
    const key = `pelazzai_report_${kept.id}`;
    const sent = on('post', '/chat/turns', () => {
      discard(key);
      const challenge = { salt: 'sale', bits: 4, expires: now.toISOString(), wait: 60 };
      return problem(428, 'prova', { challenge });
    });
    expect(await deliver(key, kept, 0)).toEqual({ state: 'gone' });
    expect(sent).toHaveLength(1);
  });
});

describe('a report whose file is gone', () => {
  it('waits for the person, and goes then with what is left', async () => {
    const kept = { ...toKeptReport(answers, turn('no'), now), attachments: ['uno', 'due'] };
    keep('pelazzai', kept);
    const key = `pelazzai_report_${kept.id}`;
    const detail = 'prova.png non c’è più: allegalo di nuovo.';
    const sent = on('post', '/chat/turns', () =>
      problem(409, 'allegato-mancante', { detail, missing: ['prova.png'] }),
    );
    expect(await deliver(key, kept, 0)).toEqual({ state: 'lacking', reason: detail });
    expect(sent[0]?.body).toMatchObject({ attachments: ['uno', 'due'] });
    expect(keptReports()).toHaveLength(1);
    discard(key);
  });
});

describe('the wait before the next try', () => {
  it('doubles up to a minute and respects the server', () => {
    for (const [tries, middle] of [
      [1, 5000],
      [2, 10_000],
      [9, 60_000],
    ] as const) {
      const wait = waitAfter(tries);
      expect(wait).toBeGreaterThanOrEqual(middle * 0.75);
      expect(wait).toBeLessThanOrEqual(middle * 1.25);
    }
    expect(waitAfter(1, 300)).toBe(300_000);
  });
});
