/**
 * Thirty files that may be sent to do harm, from the page of a reporter to the panel: shown, downloaded, opened by their
 * address, taken out in one archive. Whatever runs opens a dialog; any error in the console fails the test by itself.
 */
import { readFile } from 'node:fs/promises';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { Download, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { Chat } from './support/chat';
import { Panel } from './support/panel';
import { giulia } from './support/people';
import { pngOf } from './support/picture';

const RUN = '<script>alert(1)</script>';
const JPEG = '\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0';
const bytes = (...parts: readonly (string | Buffer)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));

function number(value: number, length: 2 | 4): Buffer {
  const written = Buffer.alloc(4);
  written.writeUInt32LE(value);
  return written.subarray(0, length);
}

/** An archive of one entry: a quarter of a gigabyte of nothing, in a quarter of a megabyte. */
function bomb(name: string): Buffer {
  const zeros = Buffer.alloc(256 * 1024 * 1024);
  const packed = deflateRawSync(zeros);
  const about = bytes(
    '\x14\0\0\0\x08\0\0\0\0\0AAAA',
    number(packed.length, 4),
    number(zeros.length, 4),
    number(name.length, 2),
    '\0\0',
  );
  const entry = bytes('PK\x03\x04', about, name, packed);
  const list = bytes('PK\x01\x02\x14\0', about, '\0'.repeat(14), name);
  const end = bytes(
    'PK\x05\x06\0\0\0\0\x01\0\x01\0',
    number(list.length, 4),
    number(entry.length, 4),
    '\0\0',
  );
  return bytes(entry, list, end);
}

const XMP = `<x:xmpmeta xmlns:x='adobe:ns:meta/'>${RUN}</x:xmpmeta>`;
const WEBP = bytes(
  'WEBPVP8X\x0a\0\0\0\x04\0\0\0\0\0\0\0\0\0',
  'XMP ',
  number(XMP.length + (XMP.length % 2), 4),
  XMP,
);

/** What the panel does not show. */
const opaque = (): Buffer[] => [
  bytes(`<svg xmlns='http://www.w3.org/2000/svg'>${RUN}</svg>`),
  bytes("<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"),
  bytes(`<!DOCTYPE html>${RUN}`),
  bytes(`<!-- \x89PNG\r\n\x1a\n --><html>${RUN}`),
  bytes(`<html xmlns='http://www.w3.org/1999/xhtml'>${RUN}</html>`),
  Buffer.from(`\ufeff<html>${RUN}`, 'utf16le'),
  bytes(`MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n${RUN}`),
  bytes('MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0'),
  bytes('\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0>\0'),
  bytes('#!/bin/sh\nrm -rf /\n'),
  bytes('@echo off\r\ndel /s *\r\n'),
  bytes('L\0\0\0\x01\x14\x02\0\0\0\0\0\xc0\0\0\0'),
  bytes('CWS\x0a\0\0\0\0x\x9c'),
  bytes('alert(1)//'),
  bomb('../../zeri.bin'),
  gzipSync(Buffer.alloc(1024 * 1024)),
];

/** What passes for what the panel shows. */
const shown = (): Buffer[] => [
  bytes('GIF89a/*', '\0'.repeat(20), `*/=1;alert(1)//${RUN}`),
  bytes('BM/*', '\0'.repeat(60), '*/=1;alert(1)//', RUN),
  bytes(JPEG, '\xff\xd9', RUN),
  bytes(JPEG, '\xff\xfe\0\x1c', RUN, '\xff\xd9'),
  pngOf([10_000, 10_000, 0], deflateSync(Buffer.alloc(10_000 * 10_001))),
  pngOf([0x7fff_ffff, 0x7fff_ffff, 2], deflateSync(Buffer.alloc(64))),
  bytes(pngOf([1, 1, 0], deflateSync(Buffer.alloc(2))), RUN),
  bytes('RIFF', number(WEBP.length, 4), WEBP),
  bytes(
    '%PDF-1.7\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\ntrailer<</Root 1 0 R>>',
  ),
  bytes(`%PDF-1.4\n<html>${RUN}</html>`),
  bomb('[Content_Types].xml'),
  bytes('\xff\xff\xff\xffftypisom\0\0\x02\0isomiso2', RUN),
  bytes('\x1aE\xdf\xa3\x9fB\x82\x84webm', RUN, ' '.repeat(256)),
  bytes('ID3\x04\0\0\0\0\0\x20', RUN),
];

const NAMES = [
  '../../../etc/passwd',
  'foto\u202egpj.exe',
  'a\0b.html',
  'x\r\nSet-Cookie: a=b.svg',
  '"; filename="x.html',
  '<img src=x onerror=alert(1)>.jpg',
  '..\\..\\avvio.bat',
  'CON',
];
const HARMFUL = /[/\\<>"\p{C}]|^\.|^$/u;
/** What the panel reads: as words, whatever they mean. */
const READ = ['text/plain', 'message/rfc822', 'application/zip'];
/** What a computer would run, or a browser open: no name of what the panel shows. */
const RUNS = /\.(html?|svg|exe|bat|sh|js)$/u;

/** Names in an archive, by its list. */
function namesIn(archive: Buffer): string[] {
  const end = archive.length - 22;
  const names: string[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [name, extra, comment] = [28, 30, 32].map((field) => archive.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    names.push(archive.toString('utf8', at + 46, at + 46 + name));
    at += 46 + name + extra + comment;
  }
  return names;
}

async function downloaded(page: Page, act: () => Promise<unknown>): Promise<Download> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return download;
}

test('thirty files that mean harm run nothing and break nothing', { tag: '@soak' }, async ({
  page,
  context,
  api,
  logIn,
  server,
}) => {
  const dialogs: string[] = [];
  context.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await api.saveSystem({ attachmentsPerReport: 30 });
  const files = [...opaque(), ...shown()];
  expect(files).toHaveLength(30);
  const chat = await Chat.open(page);
  await chat.tell(giulia);
  const input = page.getByLabel('Allega file');
  for (const [index, buffer] of files.entries()) {
    const name = NAMES[index % NAMES.length] ?? '';
    await input.setInputFiles({ name, mimeType: 'image/jpeg', buffer });
    await expect(page.getByText(/^Allegato, /)).toHaveCount(index + 1);
  }
  await chat.finish();
  const receipt = page.getByRole('region', { name: 'Ricevuta' });
  const code = /[0-9A-Z]{5}(-[0-9A-Z]{5}){3}/.exec((await receipt.textContent()) ?? '')?.[0] ?? '';
  await page.goto('/paibeta/seguito');
  await page.getByLabel('Il tuo codice').fill(code);
  await page.getByRole('button', { name: 'Apri' }).click();
  await expect(page.getByRole('region', { name: 'I tuoi file' }).getByRole('listitem')).toHaveCount(
    files.length,
  );

  await logIn(context);
  const { id, attachments } = await api.detailOf(giulia);
  expect(attachments).toHaveLength(files.length);
  await new Panel(page).openReport(id);
  const media = ({ type }: { type: string }) => /^(image|video|audio)/.test(type);
  const failed = page.getByText('Questo file non si può mostrare qui: scaricalo.');

  const tab = await context.newPage();
  await page
    .getByRole('button', { name: /^Apri / })
    .first()
    .click();
  for (const [index, { n, name, type }] of attachments.entries()) {
    expect(name).not.toMatch(HARMFUL);
    if (media({ type })) {
      expect(name).not.toMatch(RUNS);
    }
    const address = `/paibeta/api/reports/${id}/attachments/${n}`;
    const large = page.getByRole('dialog').locator(`[src="${address}"]`);
    const shown = READ.includes(type) ? page.getByRole('region', { name: 'Contenuto' }) : failed;
    await expect(media({ type }) ? large.or(failed) : shown).toBeVisible();
    if (index === opaque().length + 4) {
      // The large picture is a picture.
      await expect.poll(() => large.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(10_000);
    }
    const link = page.locator(`a[href="${address}"]`);
    const download = await downloaded(page, () => link.click());
    expect(download.suggestedFilename()).not.toMatch(HARMFUL);
    expect((await readFile(await download.path())).equals(files[index] as Buffer), name).toBe(true);
    // Opened by its address it is a download too, and never a page. In a tab of its own: Chromium drops a click on a link
    // while a navigation of the same tab turns into a download.
    const opened = await downloaded(tab, () => tab.goto(address).catch(() => undefined));
    expect(opened.suggestedFilename()).not.toMatch(HARMFUL);
    await opened.cancel();
    const clean = await page.request.get(`${address}?clean=true`);
    expect([200, 413, 415]).toContain(clean.status());
    await page.keyboard.press('ArrowRight');
  }
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Altro', exact: true }).click();
  const archive = await downloaded(page, () =>
    page.getByRole('link', { name: 'Scarica tutto (ZIP)' }).click(),
  );
  const [record, ...names] = namesIn(await readFile(await archive.path()));
  expect(record).toBe('segnalazione.txt');
  expect(names).toHaveLength(files.length);
  for (const name of names) {
    expect(name).toMatch(/^allegati\/\d\d /);
    expect(name.slice('allegati/'.length)).not.toMatch(HARMFUL);
  }
  expect(dialogs).toEqual([]);

  // The control: one of them, handed out as a page, is noticed.
  await page.route('**/controllo', (route) =>
    route.fulfill({ contentType: 'text/html', body: opaque()[2] as Buffer }),
  );
  await page.goto(`${server.origin}/controllo`);
  expect(dialogs).toEqual(['1']);
});
