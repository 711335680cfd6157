/** The newsroom's panel as an editor sees it. Must find things by what they are called, never by how they are built. */
import { expect, type Locator, type Page } from '@playwright/test';
import type { Person } from './people';

export const fullName = (person: Person) => `${person.nome} ${person.cognome}`;

export class Panel {
  readonly page: Page;
  /** Whose report is open. */
  readonly name: Locator;
  /** What is known and decided about it, beside it or in one line. */
  readonly facts: Locator;
  readonly stato: Locator;
  readonly department: Locator;
  readonly note: Locator;
  readonly save: Locator;
  readonly conflict: Locator;

  constructor(page: Page) {
    this.page = page;
    const form = page.getByRole('form', { name: 'Note per il team' });
    this.name = page.getByRole('heading', { level: 1 });
    this.facts = page.getByRole('region', { name: 'Fatti' });
    this.stato = page.getByRole('article').getByRole('combobox', { name: 'Stato', exact: true });
    this.department = this.facts.getByRole('combobox', { name: 'Reparto' });
    this.note = form.getByLabel('Note Interne');
    this.save = form.getByRole('button', { name: 'Salva Modifiche' });
    this.conflict = page.getByRole('region', { name: /ha salvato prima di te$/ });
  }

  heading(name: string | RegExp): Locator {
    return this.page.getByRole('heading', { level: 1, name });
  }

  /** The one field that searches and filters. */
  get field(): Locator {
    return this.page.getByRole('combobox', { name: 'Cerca o filtra' });
  }

  /** Narrows the list by what the field completes to. */
  async narrow(typed: string, option: string | RegExp): Promise<void> {
    await this.field.fill(typed);
    const offers = this.page.getByRole('listbox', { name: 'Filtri' });
    // The typed text itself is offered last.
    await offers.getByRole('option', { name: option }).first().click();
  }

  /** Opens the list, or a selection of it. */
  async openList(query = ''): Promise<void> {
    await this.page.goto(`/paibeta/admin/reports${query}`);
    await expect(this.heading('Segnalazioni')).toBeVisible();
  }

  async openReport(id: string): Promise<void> {
    await this.page.goto(`/paibeta/admin/reports/${id}`);
    await expect(this.facts).toBeVisible();
  }

  /** What is done with a report, where a phone keeps it in its menu. */
  async openActs(): Promise<void> {
    const menu = this.page.getByRole('button', { name: 'Altro', exact: true });
    await menu.waitFor();
    if (!(await this.stato.isVisible())) {
      await menu.click();
    }
  }

  async hasStato(name: string): Promise<void> {
    await this.openActs();
    await expect(this.stato).toHaveValue(name);
  }

  /** What is seldom done with a report. */
  async more(name: string): Promise<void> {
    const menu = this.page.getByRole('button', { name: 'Altro', exact: true });
    if ((await menu.getAttribute('aria-expanded')) === 'false') {
      await menu.click();
    }
    await this.page.getByRole('button', { name }).click();
  }

  row(person: Person): Locator {
    return this.page.getByRole('row').filter({ hasText: fullName(person) });
  }

  /** The rows of the list, without its head. */
  get rows(): Locator {
    return this.page.getByRole('row').filter({ has: this.page.getByRole('rowheader') });
  }

  async open(person: Person): Promise<void> {
    await this.row(person).getByRole('link', { name: 'Apri' }).click();
    await expect(this.facts).toBeVisible();
  }

  counter(label: string): Locator {
    const summary = this.page.getByRole('navigation', { name: 'Riepilogo delle segnalazioni' });
    return summary.getByRole('link', { name: label });
  }

  tab(label: string): Locator {
    return this.page.getByRole('navigation', { name: 'Elenchi' }).getByRole('link', { name: label });
  }

  card(title: string): Locator {
    return this.page.getByRole('region', { name: title });
  }

  /** Unfolds the facts of a report where they stand in one line. */
  async openFacts(): Promise<void> {
    const line = this.facts.getByRole('button', { expanded: false }).first();
    if (await line.isVisible()) {
      // By key: the account above may still be fitted to the window, and what lies under a pointer move.
      await line.press('Enter');
    }
  }

  /** A part that is folded away, opened. */
  async unfold(title: string): Promise<Locator> {
    if (await this.facts.isVisible()) {
      await this.openFacts();
    }
    const part = this.card(title);
    const body = part.locator('details');
    if ((await body.getAttribute('open')) === null) {
      await part.getByRole('heading', { name: title }).click();
    }
    return part;
  }

  /** A fact on a card, by its name. */
  fact(name: string): Locator {
    const term = this.page.getByRole('term').filter({ hasText: new RegExp(`^${name}$`) });
    return this.page.getByRole('definition').and(term.locator('xpath=following-sibling::dd'));
  }

  async saved(): Promise<void> {
    await expect(this.page.getByText('Nota salvata')).toBeVisible();
  }

  /** Presses what the menu keeps under one's own name. */
  async press(name: 'Esci' | 'Scorciatoie'): Promise<void> {
    await this.page.getByTitle('Accesso, tema, scorciatoie, uscita').filter({ visible: true }).click();
    await this.page.getByRole('button', { name }).click();
  }

  async logOut(): Promise<void> {
    const menu = this.page.getByRole('button', { name: 'Apri il menu' });
    if (await menu.isVisible()) {
      await menu.click();
    }
    await this.press('Esci');
    await expect(this.heading('Accesso al pannello')).toBeVisible();
  }
}
