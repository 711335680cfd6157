#!/usr/bin/env node
/**
 * Load on the real executable: people who chat to the end, and an editor who reads the list, all over HTTP on this
 * machine. Prints rates and latencies, then checks the promises: every report that was acknowledged is in the archive,
 * also after a restart; memory, open files and the database's log stay level; the program stops cleanly. Exits 1 when
 * one is broken.
 *
 * Must never talk to anything but the program it started, nor leave its data behind.
 *
 * Usage: node tools/load.mjs --program target/release/segnalazioni [--seconds 15] [--people 16] [--rate 50]
 * Without --rate (conversations begun a second) everybody talks as fast as they are answered.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { createHistogram, performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';

/** Memory may grow by this much after the first tenth of the run: caches fill, allocators keep. */
const MEMORY_GROWTH_MIB = 64;
/** Open files may grow by this many: a socket that is being closed stands beside the one that replaces it. */
const FILES_GROWTH = 8;
/** The database's log is folded back every 4 MiB, unless a reader that never ends holds it. */
const LOG_MIB = 64;
/** Latencies are kept in microseconds: a histogram takes whole numbers. */
const MICROSECONDS = 1000;
/** The program must be gone this long after SIGTERM (PRODUCT.md §15), plus a second to look. */
const STOP_MS = 11_000;

const ACCOUNT =
  'Nel cantiere di via Roma si lavora di notte senza alcuna protezione e gli operai vengono pagati in contanti, ' +
  'ho visto più volte i furgoni scaricare materiale di scarto lungo il fiume.';

/** What a person answers in each state; the last two close the conversation. */
const ANSWERS = {
  age_check: 'ho 34 anni',
  collect_name: 'Anna Maria',
  collect_surname: 'Prova',
  collect_phone: '+39 333 123 4567',
  collect_email: 'anna@example.org',
  collect_address: 'Via Roma 1, Milano',
  investigative_questions: ACCOUNT,
  collect_report: 'no',
  final_question: 'no',
};

const { values: options } = parseArgs({
  options: {
    program: { type: 'string' },
    seconds: { type: 'string', default: '15' },
    people: { type: 'string', default: '16' },
    rate: { type: 'string', default: 'Infinity' },
  },
});
if (options.program === undefined) {
  throw new Error('--program is missing');
}
const program = resolve(options.program);
const seconds = Number(options.seconds);
const people = Number(options.people);
const rate = Number(options.rate);
const folder = mkdtempSync(join(tmpdir(), 'segnalazioni-load-'));
const agent = new Agent({ keepAlive: true, maxSockets: people + 2 });

/** Variables of ours would change what is measured. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('SEGNALAZIONI_')),
);

/** Starts the program on a port of the machine's choice; answers once it says where it listens. */
async function start() {
  const child = spawn(program, ['serve', '--data-dir', 'data', '--listen', '127.0.0.1:0'], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((done) => child.once('exit', (code, signal) => done(code ?? signal)));
  const origin = await new Promise((found, failed) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
      if (address !== null) {
        found(address[0]);
      }
    });
    ended.then((code) => failed(new Error(`the program ended with ${code} before it listened`)));
  });
  return { child, ended, origin };
}

/** SIGTERM, and how the program ended; a number is its exit code. */
async function stop(server) {
  server.child.kill('SIGTERM');
  const late = setTimeout(() => server.child.kill('SIGKILL'), STOP_MS);
  const outcome = await server.ended;
  clearTimeout(late);
  return outcome;
}

/** One call; its latency goes to `kind`. Anything but a 2xx is an error. */
function call(server, kind, method, path, body, headers = {}) {
  const begun = performance.now();
  const text = body === undefined ? undefined : JSON.stringify(body);
  const all = { ...headers, origin: server.origin };
  if (text !== undefined) {
    all['content-type'] = 'application/json';
    all['content-length'] = Buffer.byteLength(text);
  }
  return new Promise((done, failed) => {
    const sent = request(`${server.origin}/paibeta/api${path}`, { method, agent, headers: all }, (answer) => {
      const parts = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('error', failed);
      answer.on('end', () => {
        latencies[kind].record(Math.max(1, Math.round((performance.now() - begun) * MICROSECONDS)));
        const received = Buffer.concat(parts).toString();
        if (answer.statusCode < 200 || answer.statusCode > 299) {
          failed(new Error(`${method} ${path}: ${answer.statusCode} ${received}`));
          return;
        }
        const cookie = answer.headers['set-cookie']?.[0].split(';')[0];
        done({ cookie, ...(received === '' ? {} : JSON.parse(received)) });
      });
    });
    sent.on('error', failed);
    sent.end(text);
  });
}

/** One whole conversation, until its report is acknowledged. */
async function chat(server) {
  let reply = await call(server, 'turn', 'POST', '/chat', {});
  while (!reply.finished) {
    const text = ANSWERS[reply.state];
    if (text === undefined) {
      throw new Error(`a state without an answer: ${reply.state}`);
    }
    // A turn in these states saves the report.
    const kind = reply.state === 'collect_report' || reply.state === 'final_question' ? 'save' : 'turn';
    reply = await call(server, kind, 'POST', '/chat/turns', { conversation: reply.conversation, text });
  }
  if (reply.reportId === undefined) {
    throw new Error('a conversation finished without a report');
  }
}

async function counters(server, cookie) {
  const list = await call(server, 'list', 'GET', '/reports', undefined, { cookie });
  return list.counters;
}

function logIn(server) {
  return call(server, 'login', 'POST', '/session', { password }).then(({ cookie }) => cookie);
}

/** What the program holds just now. */
function holdings(server) {
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
  const log = statSync(join(folder, 'data', 'segnalazioni.db-wal'), { throwIfNoEntry: false });
  return {
    memory: Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024,
    files: readdirSync(`/proc/${server.child.pid}/fd`).length,
    log: (log?.size ?? 0) / 1024 / 1024,
  };
}

/** Holds everybody back to the rate, together; false when the next turn would come after the end. */
async function turnComes(begun, end) {
  const due = Math.max(begun + (started * 1000) / rate, performance.now());
  if (due >= end) {
    return false;
  }
  started += 1;
  const early = due - performance.now();
  if (early > 0) {
    await new Promise((done) => setTimeout(done, early));
  }
  return true;
}

function printLatencies(elapsed) {
  for (const [kind, all] of Object.entries(latencies)) {
    const [p50, p99, max] = [50, 99, 100].map((share) => (all.percentile(share) / MICROSECONDS).toFixed(2));
    const rate = (all.count / elapsed).toFixed(0);
    console.log(
      `${kind.padEnd(6)} ${String(all.count).padStart(9)}  ${rate.padStart(7)}/s  p50 ${p50} ms  p99 ${p99} ms  max ${max} ms`,
    );
  }
}

const latencies = Object.fromEntries(['turn', 'save', 'list', 'login'].map((kind) => [kind, createHistogram()]));
const problems = [];
let acknowledged = 0;
let started = 0;
let password;
let server;

try {
  const output = execFileSync(program, ['reset-password', '--data-dir', 'data', '--generate'], {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
  });
  password = /Password: (\S+)/.exec(output)?.[1];
  if (password === undefined) {
    throw new Error('reset-password --generate printed no password');
  }
  server = await start();
  const cookie = await logIn(server);
  const begun = performance.now();
  const end = begun + seconds * 1000;
  const held = [];
  const watch = setInterval(() => held.push(holdings(server)), Math.max(100, seconds * 10));
  const chatting = Array.from({ length: people }, async () => {
    while (await turnComes(begun, end)) {
      await chat(server);
      acknowledged += 1;
    }
  });
  const reading = (async () => {
    while (performance.now() < end) {
      await counters(server, cookie);
      await new Promise((done) => setTimeout(done, 50));
    }
  })();
  await Promise.all([...chatting, reading]);
  clearInterval(watch);
  const elapsed = (performance.now() - begun) / 1000;
  printLatencies(elapsed);
  console.log(`${acknowledged} reports in ${elapsed.toFixed(1)} s: ${(acknowledged / elapsed).toFixed(0)}/s`);

  const warm = held[Math.floor(held.length / 10)];
  const last = held.at(-1);
  const log = Math.max(...held.map((moment) => moment.log));
  console.log(`memory: ${warm.memory.toFixed(0)} MiB warm, ${last.memory.toFixed(0)} MiB at the end`);
  console.log(`open files: ${warm.files} warm, ${last.files} at the end; database log: ${log.toFixed(0)} MiB at most`);
  if (!(last.memory - warm.memory <= MEMORY_GROWTH_MIB)) {
    problems.push(`memory grew by ${(last.memory - warm.memory).toFixed(0)} MiB`);
  }
  if (!(last.files - warm.files <= FILES_GROWTH)) {
    problems.push(`open files grew from ${warm.files} to ${last.files}`);
  }
  if (!(log <= LOG_MIB)) {
    problems.push(`the database's log grew to ${log.toFixed(0)} MiB`);
  }
  const { total } = await counters(server, cookie);
  if (total !== acknowledged) {
    problems.push(`${acknowledged} reports acknowledged, ${total} in the archive`);
  }
  const outcome = await stop(server);
  if (outcome !== 0) {
    problems.push(`SIGTERM ended the program with ${outcome}`);
  }
  agent.destroy();
  server = await start();
  const { total: kept } = await counters(server, await logIn(server));
  if (kept !== acknowledged) {
    problems.push(`${acknowledged} reports acknowledged, ${kept} in the archive after a restart`);
  }
} finally {
  if (server !== undefined) {
    await stop(server);
  }
  agent.destroy();
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) {
  console.error(`BROKEN: ${problem}`);
}
process.exitCode = problems.length === 0 ? 0 : 1;
