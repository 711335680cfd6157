/** How browsers name themselves, those first whose names hold another's. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:A|iOS)?\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)\S* (?:Mobile\/\S+ )?Safari\//, 'Safari'],
];

/** A browser's own description in short, such as `Firefox 140 su Linux`; as it is when nothing is recognised. */
export function browserOf(userAgent: string): string {
  const [pattern, name] = BROWSERS.find(([mark]) => mark.test(userAgent)) ?? [];
  // Those of Android and of iPhones name the system that theirs descends from too.
  const system = /Android|iPhone|iPad|Windows|Mac OS X|Linux(?!; Android)/.exec(userAgent)?.[0];
  return pattern ? `${name} ${pattern.exec(userAgent)?.[1]}${system ? ` su ${system}` : ''}` : userAgent;
}
