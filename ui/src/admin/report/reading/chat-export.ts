/**
 * Conversations as WhatsApp exports them, in whatever language and order of day and month the phone has. Moments stay as they
 * were written: which of two numbers is the day nobody can know, and evidence is not rewritten.
 */

export interface Said {
  /** As it was written: '12/03/24, 14:05:11'. */
  when: string;
  /** Empty where WhatsApp itself says something. */
  who: string;
  text: string;
  /** Name of the file that came along, as the archive has it; empty for none. */
  file: string;
}

/** Marks that WhatsApp puts before lines and names. */
const MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
const DATE = String.raw`\d{1,4}[-/.] ?\d{1,2}[-/.] ?\d{1,4}\.?`;
const TIME = String.raw`\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?(?:[ap]\.?\s?m\.?|[AP]M))?`;
/** iOS: '[12/03/24, 14:05:11] Nome: testo'. Android: '12/03/24, 14:05 - Nome: testo'. */
const IOS = new RegExp(String.raw`^\[(${DATE}[,.]?\s\D{0,12}?${TIME})\]\s?(.*)$`, 'i');
const ANDROID = new RegExp(String.raw`^(${DATE}[,.]?\s\D{0,12}?${TIME})(?:\s[-–]\s?|:\s)(.*)$`, 'i');
/** '<allegato: 00000012-PHOTO.jpg>', in every language. */
const IOS_FILE = /<\s?[^<>:]{2,40}:\s*([^<>:]+?)\s*>/;
/** 'IMG-20240312-WA0001.jpg (file allegato)', in every language. */
const ANDROID_FILE = /^(.+\.\w{2,5})\s\([^()]{2,40}\)$/;
/** Longest name of a person or a number that is taken for one. */
const NAME_MAX = 80;

/** The messages of an exported conversation; null where the text is none. `has` tells whether a file came along. */
export function readChat(text: string, has: (name: string) => boolean): Said[] | null {
  const all: Said[] = [];
  for (const line of text.split(/\r?\n/)) {
    const bare = line.replace(MARKS, '');
    const begun = IOS.exec(bare) ?? ANDROID.exec(bare);
    const last = all.at(-1);
    if (begun) {
      all.push(said(begun[1] ?? '', begun[2] ?? ''));
    } else if (last) {
      last.text += `\n${bare}`;
    } else if (bare.trim() !== '') {
      return null;
    }
  }
  for (const one of all) {
    one.text = one.text.trim();
    takeFile(one, has);
  }
  return all.length > 0 ? all : null;
}

function said(when: string, rest: string): Said {
  const end = rest.search(/:(\s|$)/);
  const who = end > 0 && end <= NAME_MAX ? rest.slice(0, end).trim() : '';
  return { when: when.replace(/\s/g, ' '), who, text: who ? rest.slice(end + 1) : rest, file: '' };
}

/** Takes the name of a file that came along out of the words. */
function takeFile(one: Said, has: (name: string) => boolean): void {
  const [line = '', ...caption] = one.text.split('\n');
  const android = ANDROID_FILE.exec(line)?.[1];
  const ios = IOS_FILE.exec(one.text);
  if (android && has(android)) {
    one.file = android;
    one.text = caption.join('\n');
  } else if (ios?.[1] && has(ios[1])) {
    one.file = ios[1];
    one.text = one.text.replace(ios[0], '').trim();
  }
}
