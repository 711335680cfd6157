import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { openPage } from '../testing/panel-page';
import { Files } from './files';

const CAME = '2026-03-10T09:00:00Z';
const FILES = [
  { n: 1, name: 'la piazza.jpg', type: 'image/jpeg', size: 1_250_000, at: CAME },
  { n: 2, name: 'voce.mp3', type: 'audio/mpeg', size: 900, at: CAME },
  { n: 3, name: 'carta.pdf', type: 'application/pdf', size: 310_400, at: '2026-03-11T10:30:00Z' },
  { n: 4, name: 'enorme.png', type: 'image/png', size: 16 * 1024 * 1024, at: CAME },
];
const at = (rest: string) => `/paibeta/api/reports/r1/${rest}`;
const previews = () => [...document.querySelectorAll('img')].map((image) => image.getAttribute('src'));

beforeEach(() => void vi.useFakeTimers());

async function open(files = FILES, name?: string) {
  await openPage(<Files report="r1" received={CAME} files={files} />, () => Response.json({}));
  if (name) {
    fireEvent.click(screen.getByRole('button', { name: `Apri ${name}` }));
    return within(await vi.waitFor(() => screen.getByRole('dialog', { name })));
  }
  return null;
}

it('shows a picture small where it is not too large, and fetches nothing else', async () => {
  await open();
  expect(screen.getAllByRole('button', { name: /^Apri / })).toHaveLength(4);
  expect(previews()).toEqual([at('attachments/1?preview=true')]);
});

it('opens one large, goes round with arrows, and hands out what there is', async () => {
  const box = await open(FILES, 'la piazza.jpg');
  expect(box?.getByText('1 di 4 · Foto, 1,3 MB')).toBeInTheDocument();
  expect(box?.getByRole('img')).toHaveAttribute('src', at('attachments/1'));
  expect(box?.getByRole('link', { name: 'Copia senza luogo' })).toHaveAttribute(
    'href',
    at('attachments/1?clean=true'),
  );
  fireEvent.click(screen.getByRole('button', { name: 'Ruota' }));
  expect(box?.getByRole('img').style.rotate).toBe('90deg');
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'ArrowRight' });
  expect(screen.getByLabelText('voce.mp3', { selector: 'audio' })).toBeInTheDocument();
  const speed = screen.getByRole('combobox', { name: 'Velocità' });
  fireEvent.change(speed, { target: { value: '1.5' } });
  expect(document.querySelector('audio')?.playbackRate).toBe(1.5);
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'ArrowRight' });
  expect(screen.getByText('3 di 4 · PDF, 311 kB, con il messaggio del 11/03/2026 11:30')).toBeInTheDocument();
  expect(screen.getByText(/non si può mostrare qui/)).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Scarica' })).toHaveAttribute('href', at('attachments/3'));
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'ArrowLeft' });
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'ArrowLeft' });
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'ArrowLeft' });
  expect(screen.getByRole('dialog', { name: 'enorme.png' })).toBeInTheDocument();
});

it.each(['video/mp4', 'audio/m4a', 'image/tiff', 'image/gif', 'image/heif', 'application/pdf'])(
  'says of %s why it has no clean copy, and what to do',
  async (type) => {
    await open([{ n: 1, name: 'file', type, size: 900, at: CAME }], 'file');
    expect(screen.queryByRole('link', { name: /^Copia senza luogo/ })).toBeNull();
    expect(
      screen.getByText(/ripulisce solo JPEG, PNG e WebP: questo file può dire dove, quando/),
    ).toHaveTextContent(
      'Se lo scarichi, aprilo su un computer a parte e togli questi dati prima di passarlo ad altri.',
    );
  },
);

it('says of a program what it may do', async () => {
  const box = await open(
    [{ n: 1, name: 'foto.jpg.bin', type: 'application/x-executable', size: 900, at: CAME }],
    'foto.jpg.bin',
  );
  expect(box?.getByText('Programma, 1 kB')).toBeInTheDocument();
  expect(box?.getByText(/è un programma: può danneggiare il computer/)).toBeInTheDocument();
});

it('says where a picture does not show', async () => {
  const box = await open(FILES, 'la piazza.jpg');
  fireEvent.error(box?.getByRole('img') as HTMLElement);
  expect(screen.getByRole('alert')).toHaveTextContent('scaricalo');
});

it('is not there where there are no files', async () => {
  await open([]);
  expect(screen.queryByRole('region')).toBeNull();
});
