/** A device that makes and keeps passkeys, plugged into a page by Chromium's own protocol. */
import type { CDPSession, Page } from '@playwright/test';

interface Abilities {
  /** Whether it can open a sealed archive. */
  prf?: boolean;
  /** Whether it recognises its owner. */
  recognises?: boolean;
}

export class Authenticator {
  readonly #session: CDPSession;
  readonly #authenticatorId: string;

  private constructor(session: CDPSession, authenticatorId: string) {
    this.#session = session;
    this.#authenticatorId = authenticatorId;
  }

  /** It answers as soon as it is asked, also where the browser would offer its passkeys among what it fills in. */
  static async plugInto(
    page: Page,
    { prf = true, recognises = true }: Abilities = {},
  ): Promise<Authenticator> {
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        ctap2Version: 'ctap2_1',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: recognises,
        automaticPresenceSimulation: true,
        hasPrf: prf,
      },
    });
    return new Authenticator(session, authenticatorId);
  }

  /** From now on it takes its owner for another. It gives up by that, as real ones do: for good. */
  async mistake(): Promise<void> {
    const authenticatorId = this.#authenticatorId;
    await this.#session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  }

  /** Whether somebody is there who touches it as soon as it asks. */
  async isTouched(enabled: boolean): Promise<void> {
    const authenticatorId = this.#authenticatorId;
    await this.#session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  }

  async unplug(): Promise<void> {
    const authenticatorId = this.#authenticatorId;
    await this.#session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
  }

  /** How many passkeys it keeps. */
  async count(): Promise<number> {
    const authenticatorId = this.#authenticatorId;
    const { credentials } = await this.#session.send('WebAuthn.getCredentials', { authenticatorId });
    return credentials.length;
  }
}

/** From the next page on, no passkey comes out of the autofill: only a button asks for one. */
export const withoutAutofill = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
  });
