#!/usr/bin/env node
/**
 * The first report of a new installation, over HTTP as the pages send it: sets the password by the set-up link, talks to the
 * assistant to the end, and reads the report as an editor. Or, with --expect, logs in and finds the report of then; with --report
 * only sends one; --public is the address that the pages would have, --password another than the usual; with
 * --mail also tries a mail server of this name, at whose port 1 nobody listens: it must be found, and refuse.
 *
 * Must never talk to anything but the address it was given.
 *
 * Usage: node tools/first-report.mjs --setup http://127.0.0.1:8080/paibeta/setup#…      prints the report's id
 *        node tools/first-report.mjs --expect ID [--origin http://127.0.0.1:8080] [--mail NAME] [--public URL] [--password WORDS]
 *        node tools/first-report.mjs --report [--origin …] [--public URL]
 */
import { parseArgs } from 'node:util';

const PASSWORD = 'gatto-lampada-nuvola-treno';
const ACCOUNT =
  'Nel cantiere di via Roma si lavora di notte senza protezioni e gli operai sono pagati in contanti.';
const ANSWERS = ['34', 'Anna', 'Bianchi', '333 123 4567', 'anna@example.org', 'Via Roma 1, Milano', ACCOUNT, 'no'];

const { values: options } = parseArgs({
  options: {
    setup: { type: 'string' },
    expect: { type: 'string' },
    mail: { type: 'string' },
    report: { type: 'boolean' },
    public: { type: 'string' },
    password: { type: 'string', default: PASSWORD },
    origin: { type: 'string', default: 'http://127.0.0.1:8080' },
  },
});
const link = options.setup === undefined ? null : new URL(options.setup);
const origin = link === null ? options.origin : link.origin;

/** One call; anything but a 2xx is an error. */
async function call(method, path, body, cookie) {
  const headers = { origin: options.public ?? origin };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (cookie !== undefined) headers.cookie = cookie;
  const answer = await fetch(`${origin}/paibeta/api${path}`, { method, headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  const set = answer.headers.get('set-cookie');
  return { cookie: set?.split(';')[0], ...(text === '' ? {} : JSON.parse(text)) };
}

/** The session of a first editor, who copies the recovery code. */
async function setUp(token) {
  const { recoveryCode } = await call('POST', '/setup/recovery-code', { token, password: PASSWORD });
  const { cookie } = await call('POST', '/setup', { token, password: PASSWORD, recoveryCode });
  return cookie;
}

/** One conversation, to the acknowledged report. */
async function report() {
  let reply = await call('POST', '/chat', {});
  for (const text of ANSWERS) {
    reply = await call('POST', '/chat/turns', { conversation: reply.conversation, text });
  }
  if (reply.reportId === undefined) throw new Error(`the conversation ended in ${reply.state} without a report`);
  return reply.reportId;
}

async function expectReport(id, cookie) {
  const found = await call('GET', `/reports/${id}`, undefined, cookie);
  if (found.nome !== 'Anna' || found.segnalazione !== ACCOUNT) throw new Error(`another report: ${JSON.stringify(found)}`);
}

/** A name that cannot be resolved, or a socket that may not be opened, would be told differently. */
async function expectRefusal(host, cookie) {
  const server = { smtpHost: host, smtpPort: 1, smtpUsername: 'tip', smtpPassword: 'prova', smtpSecure: true };
  const form = { ...server, emailFrom: 'tip@example.org', emailRecipient: 'redazione@example.org' };
  const { success, message } = await call('POST', '/settings/email/test', form, cookie);
  if (success || !message.includes('rifiuta la connessione sulla porta 1,')) throw new Error(message);
}

if (options.report) {
  console.log(await report());
} else if (link === null) {
  const { cookie } = await call('POST', '/session', { password: options.password });
  await expectReport(options.expect, cookie);
  if (options.mail !== undefined) await expectRefusal(options.mail, cookie);
} else {
  const cookie = await setUp(link.hash.slice(1));
  const id = await report();
  await expectReport(id, cookie);
  console.log(id);
}
