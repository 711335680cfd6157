/** Whether this browser knows passkeys at all; without https, but for localhost, none does. */
export const knowsPasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'credentials' in navigator;
