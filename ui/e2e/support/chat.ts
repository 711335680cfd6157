/** The public page as a person sees it. Must find things by what they are called, never by how they are built. */
import { expect, type Locator, type Page } from '@playwright/test';
import { answersOf, type Person } from './people';

/** Milliseconds the dots show before each reply. */
export const REPLY_DELAY = 1000;

export const CLOSED = 'Conversazione completata. Grazie per la tua segnalazione.';
export const FAILED = 'Si è verificato un errore. Riprova.';

export class Chat {
  readonly page: Page;
  readonly box: Locator;
  readonly send: Locator;
  readonly begin: Locator;
  /** By which sentence the answer in the box was refused, what is wrong with it, and what else there is. */
  readonly refusal: Locator;
  readonly bubbles: Locator;
  /** What must be read. */
  readonly pin: Locator;
  readonly farewell: Locator;
  readonly badge: Locator;
  readonly failure: Locator;
  readonly closing: Locator;
  /** The page of what will be sent, and its button, which reads otherwise while it sends. */
  readonly review: Locator;
  readonly submit: Locator;
  /** Whatever takes the next answer. */
  readonly ready: Locator;

  constructor(page: Page) {
    this.page = page;
    this.box = page.getByRole('textbox');
    this.send = page.getByRole('button', { name: /^(Avanti|Invia)$/ });
    this.begin = page.getByRole('button', { name: /^Inizia/ });
    this.farewell = page
      .getByRole('region')
      .filter({ has: page.getByRole('region', { name: 'Ricevuta' }) })
      .getByRole('heading', { level: 2 })
      .first();
    this.pin = page.getByRole('alert').filter({ has: page.getByRole('list') });
    this.refusal = page.locator('form').getByRole('alert').getByRole('paragraph');
    this.bubbles = page.getByRole('region', { name: 'Conversazione' }).getByRole('listitem');
    this.badge = page.getByRole('banner').getByText(/^Stato: \S/);
    this.failure = page.locator('form').getByRole('alert');
    this.closing = page.getByText(CLOSED);
    this.review = page.getByRole('region', { name: 'Controlla e invia' });
    this.submit = page.getByRole('button', { name: 'Invia la segnalazione', disabled: false });
    this.ready = page
      .getByRole('textbox', { disabled: false })
      .or(this.submit)
      .or(page.getByRole('button', { name: 'Scrivi tu', disabled: false }))
      .first();
  }

  /**
   * Opens the chat, waits until it is alive and goes on to the first question. The page's clock is ours, so that nobody
   * waits for the dots; it runs on by itself where a test does not move it.
   */
  static async open(page: Page, path = '/paibeta/'): Promise<Chat> {
    await page.clock.install();
    await page.goto(path);
    const chat = new Chat(page);
    await chat.alive();
    await chat.begin.click();
    return chat;
  }

  /** Before its script runs the page does not know whether the newsroom can be reached. */
  async alive(): Promise<void> {
    await expect(this.badge).toHaveText(/Online|Demo/);
  }

  /** Sends an answer and lets the time of the dots pass; at the review it is an addition, unless it is 'no'. */
  async say(text: string): Promise<void> {
    if (await this.review.isVisible()) {
      if (text !== 'no') {
        await this.add(text);
      }
      await this.submit.click();
      await this.page.clock.fastForward(REPLY_DELAY);
      return;
    }
    await this.box.fill(text);
    // Where Enter makes a paragraph, a finger sends by the button.
    if ((await this.box.getAttribute('enterkeyhint')) === 'enter') {
      await this.send.click();
    } else {
      await this.box.press('Enter');
    }
    await this.page.clock.fastForward(REPLY_DELAY);
  }

  /** Answers by a button, and waits for the assistant to be ready for the next answer. */
  async press(name: string): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).click();
    await this.page.clock.fastForward(REPLY_DELAY);
    await expect(this.page.getByTestId('typing')).toBeHidden();
  }

  /** Writes what there is to add to the report. */
  async add(text: string): Promise<void> {
    const open = this.page.getByRole('button', { name: 'Aggiungi qualcosa' });
    if (await open.isVisible()) {
      await open.click();
    }
    await this.box.fill(text);
  }

  /** Sends an answer and waits for the assistant to be ready for the next one. */
  async answer(text: string): Promise<void> {
    await this.say(text);
    await expect(this.ready).toBeVisible();
  }

  /** Answers every question but the last. */
  async tell(person: Person): Promise<void> {
    for (const text of answersOf(person)) {
      await this.answer(text);
    }
    await expect(this.review).toBeVisible();
  }

  /** Gives the last answer and waits for the end of the conversation. */
  async finish(text = 'no'): Promise<void> {
    await this.say(text);
    await expect(this.closing).toBeVisible();
  }

  /** The box asks for this, as that question of eight. */
  async asks(label: string, question: number): Promise<void> {
    await expect(this.page.getByLabel(label, { exact: true })).toBeVisible();
    await expect(this.page.getByText(`Domanda ${question} di 8`)).toBeVisible();
  }

  /** What was said last: by a bubble, below the box of an answer that is refused, or at the end. */
  async lastBubble(text: string | RegExp): Promise<void> {
    const bubble = this.bubbles.last().getByRole('paragraph').last();
    await expect(bubble.or(this.refusal.first()).or(this.farewell).last()).toHaveText(text);
  }

  /** Everything this browser keeps of us: cookies and storage of every kind. */
  async traces(): Promise<unknown> {
    const session = await this.page.evaluate(() => Object.entries(sessionStorage));
    const { cookies, origins } = await this.page.context().storageState({ indexedDB: true });
    return { session, cookies, origins };
  }
}

export const NO_TRACES = { session: [], cookies: [], origins: [] };
