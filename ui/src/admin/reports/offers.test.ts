import { expect, it } from 'vitest';
import { type Condition, offered } from './conditions';

const view = (label: string): Condition => ({ kind: 'Vista', label, change: { search: label } });
const KNOWN = ["L'inchiesta sull’Aspromonte", 'Dell’Acqua «ottobre»', 'Sanità/Ospedali'].map(view);

it.each([
  ['aspro', ["L'inchiesta sull’Aspromonte"]],
  ["sull'aspro", ["L'inchiesta sull’Aspromonte"]],
  ['l’inchi', ["L'inchiesta sull’Aspromonte"]],
  ['inchiesta aspromonte', ["L'inchiesta sull’Aspromonte"]],
  ['acqua', ['Dell’Acqua «ottobre»']],
  ['ottobre', ['Dell’Acqua «ottobre»']],
  ['osp', ['Sanità/Ospedali']],
  ['promonte', []],
])('completes “%s” to what has such a word, behind an apostrophe, too', (typed, labels) => {
  const known = offered(KNOWN, typed).filter(({ kind }) => kind === 'Vista');
  expect(known.map(({ label }) => label)).toEqual(labels);
});
