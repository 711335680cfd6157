/** Days as people write them: `ieri`, `3 novembre`, `dal 3 al 12/11`, `ultimi 30 giorni`. Must never guess: what it does not read
 *  wholly is left to the search. */

/** Local days, `YYYY-MM-DD`, both of them within; open where one is absent. */
export interface Days {
  from?: string;
  to?: string;
}

type Span = Required<Days>;

const MONTHS = [
  'gennaio',
  'febbraio',
  'marzo',
  'aprile',
  'maggio',
  'giugno',
  'luglio',
  'agosto',
  'settembre',
  'ottobre',
  'novembre',
  'dicembre',
];
const WEEKDAYS = ['domenica', 'lunedi', 'martedi', 'mercoledi', 'giovedi', 'venerdi', 'sabato'];
const NUMBERS = ['due', 'tre', 'quattro', 'cinque', 'sei', 'sette', 'otto', 'nove', 'dieci'];

/** Words that the field completes to. */
export const DAY_WORDS: readonly string[] = [
  'ieri',
  'questa settimana',
  'settimana scorsa',
  'questo mese',
  'mese scorso',
  ...MONTHS,
];

/** Without case, accents, apostrophes, ordinals and what only leads on to a day. */
const plain = (typed: string) =>
  typed
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[°º]/gu, '')
    .replace(/[–—]/gu, '-')
    .replace(/['’‘ʼ′`´]/gu, ' ')
    .replace(/\bprimo\b/gu, '1')
    .trim()
    .replace(/\s+/gu, ' ');

const written = (date: Date) => date.toISOString().slice(0, 10);
const dateOf = (year: number, month: number, day: number) => new Date(Date.UTC(year, month, day));
const partsOf = (day: string) => day.split('-').map(Number) as [number, number, number];

/** A day so many years, months and days from another; a month keeps the day of the month where it has one. */
function moved(day: string, by: { months?: number; days?: number }): string {
  const [year, month, date] = partsOf(day);
  const first = dateOf(year, month - 1 + (by.months ?? 0), 1);
  const last = dateOf(first.getUTCFullYear(), first.getUTCMonth() + 1, 0).getUTCDate();
  return written(dateOf(first.getUTCFullYear(), first.getUTCMonth(), Math.min(date, last) + (by.days ?? 0)));
}

const one = (day: string): Span => ({ from: day, to: day });
const monthOf = (year: number, month: number): Span => ({
  from: written(dateOf(year, month, 1)),
  to: written(dateOf(year, month + 1, 0)),
});
const yearOf = (year: number): Span => ({ from: `${year}-01-01`, to: `${year}-12-31` });

/** A month by its name, or by three of its letters and more. */
const monthNamed = (word: string) =>
  word.length < 3 ? -1 : MONTHS.findIndex((month) => month.startsWith(word.replace(/\.$/, '')));

/** A day that there is; without a year the last one that is not ahead. */
function dayOn(today: string, day: number, month: number, year?: string): Span | null {
  const present = partsOf(today)[0];
  const of = (which: number) => {
    const date = dateOf(which, month, day);
    return date.getUTCMonth() === month && date.getUTCDate() === day ? written(date) : null;
  };
  if (year !== undefined) {
    const found = of(Number(year.length === 2 ? `20${year}` : year));
    return found ? one(found) : null;
  }
  const found = [of(present), of(present - 1)].find((date) => date !== null && date <= today);
  return found ? one(found) : null;
}

function lastMonth(today: string, month: number, year?: string): Span {
  const [present, now] = partsOf(today);
  return monthOf(year === undefined ? present - Number(month >= now) : Number(year), month);
}

/** This week, month or year up to its end, or the one before. */
function calendar(today: string, unit: string, past: boolean): Span {
  const [year, month] = partsOf(today);
  if (unit === 'settimana') {
    const weekday = (new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7;
    const from = moved(today, { days: -weekday - (past ? 7 : 0) });
    return { from, to: moved(from, { days: 6 }) };
  }
  return unit === 'mese' ? monthOf(year, month - 1 - Number(past)) : yearOf(year - Number(past));
}

/** So many days, weeks, months or years that end today. */
function lastOnes(today: string, count: number, unit: string): Span {
  const days = unit.startsWith('giorn') ? count : unit.startsWith('settiman') ? 7 * count : 0;
  const months = unit.startsWith('mes') ? count : unit.startsWith('ann') ? 12 * count : 0;
  return { from: moved(today, days > 0 ? { days: 1 - days } : { months: -months }), to: today };
}

type Rule = readonly [RegExp, (today: string, ...found: (string | undefined)[]) => Span | null];

const RULES: readonly Rule[] = [
  [/^oggi$/, (today) => one(today)],
  [/^ieri$/, (today) => one(moved(today, { days: -1 }))],
  [/^(?:l )?altro ?ieri$/, (today) => one(moved(today, { days: -2 }))],
  [
    new RegExp(`^(${WEEKDAYS.join('|')})( scors[oa])?$`),
    (today, name = '', past) => {
      const back = (new Date(`${today}T00:00:00Z`).getUTCDay() - WEEKDAYS.indexOf(name) + 7) % 7;
      return one(moved(today, { days: back === 0 && past ? -7 : -back }));
    },
  ],
  [
    new RegExp(`^(?:(?:${WEEKDAYS.join('|')}) )?(\\d{1,2}) ([a-z]+\\.?)(?: (?:del )?(\\d{4}))?$`),
    (today, day, name = '', year) => {
      const month = monthNamed(name);
      return month < 0 ? null : dayOn(today, Number(day), month, year);
    },
  ],
  [
    /^(\d{1,2})[/.-](\d{1,2})(?:[/.-](\d{4}|\d{2}))?$/,
    (today, day, month, year) => dayOn(today, Number(day), Number(month) - 1, year),
  ],
  [
    /^(\d{4})-(\d{1,2})-(\d{1,2})$/,
    (today, year, month, day) => dayOn(today, Number(day), Number(month) - 1, year),
  ],
  [
    /^([a-z]+\.?)(?: (?:del )?(\d{4})| scorso)?$/,
    (today, name = '', year) => {
      // Its beginning alone may be that of a name.
      const month = year === undefined ? MONTHS.indexOf(name) : monthNamed(name);
      return month < 0 ? null : lastMonth(today, month, year);
    },
  ],
  [/^(0?[1-9]|1[0-2])[/.-](\d{4})$/, (_, month, year) => monthOf(Number(year), Number(month) - 1)],
  [/^(20\d{2})$/, (_, year) => yearOf(Number(year))],
  [/^quest[ao]? (settimana|mese|anno)$/, (today, unit = '') => calendar(today, unit, false)],
  [
    /^(?:(settimana|mese|anno) scors[oa]|scors[oa] (settimana|mese|anno))$/,
    (today, unit, other = '') => calendar(today, unit ?? other, true),
  ],
  [
    /^(?:negli |nelle )?ultim[ei] (\d{1,3}|[a-z]+) (giorni|settimane|mesi|anni)$/,
    (today, count = '', unit = '') => {
      const number = NUMBERS.includes(count) ? NUMBERS.indexOf(count) + 2 : Number(count);
      return number > 0 ? lastOnes(today, number, unit) : null;
    },
  ],
  [/^(?:nell |nell')?ultim[ao] (settimana|mese|anno)$/, (today, unit = '') => lastOnes(today, 1, unit)],
];

/** Words before a span that add nothing. */
const ARTICLE = '(?:(?:il|lo|la|l|i) )?';

function spanIn(text: string, today: string): Span | null {
  const bare = text.replace(/^(?:il|lo|la|l(?! altro)|del|della|di|in|nel|nella|a) /, '');
  for (const [pattern, read] of RULES) {
    const found = pattern.exec(bare);
    const span = found ? read(today, ...found.slice(1)) : null;
    if (span) {
      return span;
    }
  }
  return null;
}

/** From the beginning of one to the end of the other; `3` before `12 novembre` is of that month. */
function between(first: string, last: string, today: string): Days | null {
  const end = spanIn(last, today);
  const begin = end && /^\d{1,2}$/.test(first) ? `${end.to.slice(0, 8)}${first.padStart(2, '0')}` : first;
  const from = spanIn(begin, today)?.from;
  return from && end && from <= end.to ? { from, to: end.to } : null;
}

const RANGES = [
  new RegExp(`^(?:dal?|dall|tra|fra) ${ARTICLE}(.+?) (?:al?|all|e|fino al?|fino all) ${ARTICLE}(.+)$`),
  /^(.+?) - (.+)$/,
  /^(\d{1,2})-(\d{1,2} [a-z].*)$/,
];

/** The days that the whole text means; null where it means none. */
export function daysIn(typed: string, today: string): Days | null {
  const text = plain(typed);
  for (const range of RANGES) {
    const [, first, last] = range.exec(text) ?? [];
    const found = first && last ? between(first, last, today) : null;
    if (found) {
      return found;
    }
  }
  const [, word = '', rest = text] =
    /^(da|dal|dalla|dall|dopo|fino a|fino al|fino all|entro|al|all|prima di|prima del|prima della|prima dell) (.+)$/.exec(
      text,
    ) ?? [];
  const span = spanIn(rest, today);
  if (!span) {
    return null;
  }
  if (word.startsWith('da')) {
    return { from: span.from };
  }
  if (word === 'dopo') {
    return { from: moved(span.to, { days: 1 }) };
  }
  if (word.startsWith('prima')) {
    return { to: moved(span.from, { days: -1 }) };
  }
  return word === '' ? span : { to: span.to };
}
