/** Not `randomUUID`: that is missing where the page came in the clear. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('');
}

/** The key of a message that a page may send again: it stays until the message is changed or has arrived. */
export class SendKey {
  private text = '';
  private key = '';

  of(text: string): string {
    if (this.key === '' || this.text !== text) {
      this.text = text;
      this.key = newKey();
    }
    return this.key;
  }

  arrived(): void {
    this.key = '';
  }
}
