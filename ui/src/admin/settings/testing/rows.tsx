/** Which settings the pages of a section have a row for. */
import type { ReactNode } from 'react';
import type { Answer } from '../../../shared/testing/server';
import { paths } from '../../common/paths';
import { type SettingsPage, TITLES } from '../../common/settings-pages';
import { openPage } from '../../testing/panel-page';
import type { SectionName } from '../api';

export async function rowsOf(section: SectionName, pages: ReactNode, answer: Answer): Promise<string[]> {
  const rows: string[] = [];
  const all = Object.keys(TITLES) as SettingsPage[];
  for (const page of all.filter((one) => one.startsWith(`${section}/`))) {
    const opened = await openPage(pages, answer, { address: paths.setting(page) });
    const found = document.querySelectorAll<HTMLElement>('[data-setting]');
    const names = [...found].map(({ dataset }) => dataset.setting ?? '');
    rows.push(...names);
    opened.close();
  }
  return rows;
}
