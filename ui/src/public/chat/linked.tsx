/** A text of the newsroom's in which addresses and telephone numbers can be pressed. */
const WAYS = /(https?:\/\/[^\s<>«»]*[\w/]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:\+|\b0|\b3|\b800)[\d ]{6,}\d)/;

function hrefOf(way: string): string {
  if (way.startsWith('http')) {
    return way;
  }
  return way.includes('@') ? `mailto:${way}` : `tel:${way.replaceAll(' ', '')}`;
}

export function Linked({ text }: { text: string }) {
  return text.split(WAYS).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: what was said does not change
      <a key={index} href={hrefOf(part)} target="_blank" rel="noreferrer" translate="no">
        {part}
      </a>
    ) : (
      part
    ),
  );
}
