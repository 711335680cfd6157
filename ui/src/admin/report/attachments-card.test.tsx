import { fireEvent, render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { AttachmentsCard } from './attachments-card';

const CAME = '2026-03-10T09:00:00Z';
const FILES = [
  { n: 1, name: 'la piazza.jpg', type: 'image/jpeg', size: 1_250_000, at: CAME },
  { n: 2, name: 'voce.mp3', type: 'audio/mpeg', size: 900, at: CAME },
  { n: 3, name: 'carta.pdf', type: 'application/pdf', size: 310_400, at: '2026-03-11T10:30:00Z' },
  { n: 4, name: 'iphone.heic', type: 'image/heif', size: 2_000_000, at: CAME },
];
const at = (rest: string) => `/paibeta/api/reports/r1/${rest}`;
const link = (name: string) => screen.getByRole('link', { name });

it('hands out each file, clean copies where there are some, and all of it', () => {
  render(<AttachmentsCard report="r1" received={CAME} files={FILES} zip />);
  expect(screen.getByText('Foto, 1,3 MB')).toBeInTheDocument();
  expect(screen.getByText('PDF, 311 kB, con il messaggio del 11/03/2026 11:30')).toBeInTheDocument();
  expect(link('Scarica carta.pdf')).toHaveAttribute('href', at('attachments/3'));
  expect(link('Copia senza luogo la piazza.jpg')).toHaveAttribute('href', at('attachments/1?clean=true'));
  expect(screen.getAllByRole('link', { name: /^Copia senza luogo/ })).toHaveLength(1);
  expect(link('Scarica tutto (ZIP)')).toHaveAttribute('href', at('dossier.zip'));
});

it.each([
  'video/mp4',
  'video/quicktime',
  'audio/m4a',
  'image/tiff',
  'image/gif',
  'image/heif',
  'application/pdf',
])('says of %s why it has no clean copy, and what to do', (type) => {
  const file = { n: 1, name: 'file', type, size: 900, at: CAME };
  render(<AttachmentsCard report="r1" received={CAME} files={[file]} zip />);
  expect(screen.queryByRole('link', { name: /^Copia senza luogo/ })).toBeNull();
  expect(
    screen.getByText(/ripulisce solo JPEG, PNG e WebP: questo file può dire dove, quando/),
  ).toHaveTextContent(
    'Se lo scarichi, aprilo su un computer a parte e togli questi dati prima di passarlo ad altri.',
  );
});

it.each(['image/jpeg', 'image/png', 'image/webp'])('does not warn of %s, which has a clean copy', (type) => {
  const file = { n: 1, name: 'file', type, size: 900, at: CAME };
  render(<AttachmentsCard report="r1" received={CAME} files={[file]} zip />);
  expect(link('Copia senza luogo file')).toBeInTheDocument();
  expect(screen.queryByText(/ripulisce solo/)).toBeNull();
});

it('opens a file only on request, and says where that fails', () => {
  render(<AttachmentsCard report="r1" received={CAME} files={FILES} zip />);
  expect(screen.queryByRole('img')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Mostra la piazza.jpg' }));
  const picture = screen.getByRole('img', { name: 'la piazza.jpg' });
  expect(picture).toHaveAttribute('src', at('attachments/1'));
  fireEvent.error(picture);
  expect(screen.getByRole('alert')).toHaveTextContent('scaricalo');
  fireEvent.click(screen.getByRole('button', { name: 'Mostra voce.mp3' }));
  expect(screen.getByLabelText('voce.mp3', { selector: 'audio' })).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Mostra carta.pdf' })).toBeNull();
});

it('is not there where there are no files', () => {
  const { container } = render(<AttachmentsCard report="r1" received={CAME} files={[]} zip />);
  expect(container).toBeEmptyDOMElement();
});
