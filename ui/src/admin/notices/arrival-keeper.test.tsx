import { act } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Request } from '../../shared/testing/server';
import { Page } from '../common/page';
import { openPage, pass } from '../testing/panel-page';
import { sampleSecurity } from '../testing/sample-settings';
import { ArrivalKeeper } from './arrival-keeper';

const LOOK = 10_000;
/** Waits for the next look, and for its answer. */
const look = async () => {
  await pass(LOOK);
  await pass(10);
};
let total: number;
let wanted: boolean;
let notices: string[];

class Notice extends EventTarget {
  static permission: NotificationPermission;
  constructor(title: string, options: NotificationOptions) {
    super();
    notices.push([title, options.body].filter(Boolean).join(': '));
  }
  close() {}
}

function answer({ path }: Request): Response {
  if (path === '/settings/desk') {
    return Response.json({ ...sampleSecurity(), enableNotifications: wanted });
  }
  const counters = { total, new: 0, inProgress: 0, resolved: 0 };
  return Response.json({ data: [], nextCursor: null, prevCursor: null, counters });
}

function show(visibility: DocumentVisibilityState) {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(visibility);
  act(() => void document.dispatchEvent(new Event('visibilitychange')));
}

async function open(address = '/admin/settings/system/names') {
  const page = await openPage(
    <>
      <ArrivalKeeper />
      <Page title="Sistema">{null}</Page>
    </>,
    answer,
    { address },
  );
  // One answer leads to the next question.
  await pass(0);
  await pass(0);
  return page;
}

beforeEach(() => {
  total = 7;
  wanted = true;
  notices = [];
  Notice.permission = 'granted';
  vi.stubGlobal('Notification', Notice);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('what arrives while nobody looks', () => {
  it('is counted in the title and told once, without a word of the report', async () => {
    await open();
    expect(document.title).toMatch(/^Sistema/);
    total = 8;
    await look();
    expect(document.title).toMatch(/^\(1\) Sistema/);
    total = 10;
    await look();
    await look();
    expect(document.title).toMatch(/^\(3\) Sistema/);
    expect(notices).toEqual(['È arrivata una nuova segnalazione', 'Sono arrivate 2 nuove segnalazioni']);
  });

  it('is not counted while the list is on screen, and is once the window is hidden', async () => {
    await open('/admin/reports');
    total = 9;
    await look();
    expect(document.title).toMatch(/^Sistema/);
    show('hidden');
    total = 10;
    await look();
    expect(document.title).toMatch(/^\(1\)/);
    expect(notices).toHaveLength(1);
    show('visible');
    expect(document.title).toMatch(/^Sistema/);
  });

  it('says nothing to who does not want it, and asks nothing', async () => {
    wanted = false;
    const page = await open();
    total = 9;
    await look();
    expect(document.title).toMatch(/^Sistema/);
    expect(page.requests.filter(({ path }) => path.startsWith('/reports'))).toEqual([]);
  });

  it('stays in the title where the browser shows no notices', async () => {
    Notice.permission = 'denied';
    await open();
    total = 8;
    await look();
    expect(document.title).toMatch(/^\(1\)/);
    expect(notices).toEqual([]);
  });
});
