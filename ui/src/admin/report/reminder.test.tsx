import { fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openPage, pass } from '../testing/panel-page';
import { sampleReport, sampleWho } from '../testing/samples';
import { ReminderNotice } from './reminder';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('offers a reader nothing that is refused: their reminder can only be taken away', async () => {
  const report = sampleReport({ reminder: { day: '2026-11-23', text: 'Richiamare.' } });
  const who = sampleWho({ role: 'lettore' });
  const page = await openPage(<ReminderNotice report={report} />, () => new Response(null, { status: 204 }), {
    who,
  });
  expect(screen.getAllByRole('button')).toHaveLength(1);
  fireEvent.click(screen.getByRole('button', { name: 'Togli' }));
  await pass(10);
  expect(page.changes()).toEqual([
    { method: 'DELETE', path: `/reports/${report.id}/reminder`, body: undefined },
  ]);
});
