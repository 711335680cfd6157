import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { noContent, serve } from '../../shared/testing/server';
import { Attach } from './attach';
import { Files, leaveFiles } from './files';

const stopped = vi.fn();
const microphone = { getTracks: () => [{ stop: stopped }] };
const asked = vi.fn<() => Promise<unknown>>();
let added = vi.spyOn(Files.prototype, 'add');
const hold = { current: null as (() => boolean) | null };

/** Records three bytes a second. */
class FakeRecorder {
  static last: FakeRecorder;
  state = 'inactive';
  mimeType = 'audio/ogg;codecs=opus';
  ondataavailable?: (event: { data: Blob }) => void;
  onstop?: () => void;
  constructor() {
    FakeRecorder.last = this;
  }
  start() {
    this.state = 'recording';
  }
  pause() {
    this.state = 'paused';
  }
  resume() {
    this.state = 'recording';
  }
  stop() {
    this.state = 'inactive';
    this.ondataavailable?.({ data: new Blob(['voce']) });
    this.onstop?.();
  }
}

const show = (perReport = 2) =>
  render(<Attach limits={{ maxMb: 1, perReport }} token="t" last={false} hold={hold} />);
const button = (name: string) => screen.getByRole('button', { name });
const press = (name: string) => act(async () => fireEvent.click(button(name)));
const pass = (seconds: number) => act(() => vi.advanceTimersByTime(seconds * 1000));

async function record() {
  await press('Registra un vocale');
  await act(() => vi.dynamicImportSettled());
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'Date'] });
  vi.setSystemTime(new Date(2026, 2, 10, 9, 30));
  asked.mockResolvedValue(microphone);
  vi.stubGlobal('MediaRecorder', FakeRecorder);
  vi.stubGlobal('navigator', { mediaDevices: { getUserMedia: asked } });
  serve(noContent);
  stopped.mockClear();
  added = vi.spyOn(Files.prototype, 'add').mockResolvedValue();
});
afterEach(() => {
  cleanup();
  leaveFiles(true);
  vi.unstubAllGlobals();
});

it('is not offered where the browser cannot record', () => {
  vi.stubGlobal('MediaRecorder', undefined);
  show();
  expect(screen.queryByRole('button', { name: 'Registra un vocale' })).toBeNull();
  expect(button('Allega un file')).toBeInTheDocument();
});

it('records, pauses, lets the voice be heard and hands over what was recorded', async () => {
  show();
  await record();
  pass(42);
  expect(screen.getByText('0:42')).toBeInTheDocument();
  await press('Pausa');
  pass(100);
  expect(screen.getByText(/in pausa/).closest('p')).toHaveTextContent('0:42 di 10 minuti, in pausa');
  await press('Riprendi');
  pass(20);
  expect(screen.getByText('1:02')).toBeInTheDocument();
  await press('Ferma e riascolta');
  expect(stopped).toHaveBeenCalled();
  expect(screen.getByLabelText('Il tuo vocale')).toHaveAttribute('src', expect.stringMatching(/^blob:/));
  await press('Allega il vocale');
  const [file] = added.mock.calls[0] as [File];
  expect([file.name, file.type, await file.text()]).toEqual([
    'vocale-2026-03-10-093242.ogg',
    'audio/ogg',
    'voce',
  ]);
  expect(hold.current?.()).toBe(false);
  expect(button('Allega un file')).toHaveFocus();
  expect(button('Registra un vocale')).toBeInTheDocument();
});

it('goes along by itself with what is sent, also while it is being recorded', async () => {
  const page = show();
  await record();
  pass(7);
  await act(async () => void hold.current?.());
  page.unmount();
  expect(stopped).toHaveBeenCalled();
  expect(added).toHaveBeenCalledOnce();
});

it('begins anew, and throws away', async () => {
  show();
  await record();
  pass(5);
  await press('Ferma e riascolta');
  await press('Rifai');
  expect(screen.queryByLabelText('Il tuo vocale')).toBeNull();
  pass(3);
  expect(screen.getByText('0:03')).toBeInTheDocument();
  stopped.mockClear();
  await press('Scarta');
  expect(stopped).toHaveBeenCalled();
  expect(added).not.toHaveBeenCalled();
  expect(hold.current?.()).toBe(false);
});

it('ends by itself after ten minutes, and keeps what was said', async () => {
  show();
  await record();
  pass(601);
  expect(stopped).toHaveBeenCalled();
  expect(screen.getByText('10:00')).toBeInTheDocument();
  expect(button('Allega il vocale')).toBeInTheDocument();
});

it.each([
  ['NotAllowedError', /consentilo nelle impostazioni .* allegare il file/],
  ['NotFoundError', /Non troviamo un microfono .* allegare il file/],
])('says of %s what to do, and holds nothing back', async (name, sentence) => {
  asked.mockRejectedValue(new DOMException('', name));
  show();
  await record();
  expect(screen.getByRole('alert')).toHaveTextContent(sentence);
  expect(hold.current?.()).toBe(false);
  asked.mockResolvedValue(microphone);
  await press('Riprova');
  expect(button('Pausa')).toBeInTheDocument();
});

it.each([
  ['leaving the page', () => window.dispatchEvent(new Event('pagehide'))],
  ['the end of the conversation', () => leaveFiles(true)],
])('gives the microphone back at once on %s', async (_, leave) => {
  show();
  await record();
  expect(stopped).not.toHaveBeenCalled();
  act(() => void leave());
  expect(stopped).toHaveBeenCalled();
});

it('gives back a microphone that was allowed too late', async () => {
  let allow = (_: unknown) => {};
  asked.mockReturnValue(new Promise((resolve) => (allow = resolve)));
  const page = show();
  await record();
  page.unmount();
  await act(async () => allow(microphone));
  expect(stopped).toHaveBeenCalled();
});

it('keeps a voice that cannot be attached yet', async () => {
  show(0);
  await record();
  await press('Ferma e riascolta');
  await press('Allega il vocale');
  expect(screen.getByRole('alert')).toHaveTextContent('al massimo 0 file');
  expect(screen.getByLabelText('Il tuo vocale')).toBeInTheDocument();
});
