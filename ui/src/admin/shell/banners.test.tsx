import { screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Alerts } from '../../shared/api/schema';
import { openPage, pass } from '../testing/panel-page';
import { DiskBanner } from './banners';

let told: Alerts;

beforeEach(() => {
  vi.useFakeTimers();
  told = { disk: 'ok', freeBytes: 5_000_000_000 };
});

afterEach(() => {
  vi.useRealTimers();
});

describe('the banner of the disk', () => {
  it('warns while there is little room, and says when reports are refused', async () => {
    await openPage(<DiskBanner />, () => Response.json(told));
    expect(screen.getByRole('status')).toBeEmptyDOMElement();
    told = { disk: 'low', freeBytes: 412_345_678 };
    await pass(60_000);
    expect(screen.getByRole('status')).toHaveTextContent('quasi pieno: restano 412 MB.');
    told = { disk: 'full', freeBytes: 60_000_000 };
    await pass(60_000);
    expect(screen.getByRole('status')).toHaveTextContent('le nuove segnalazioni vengono rifiutate');
  });
});
