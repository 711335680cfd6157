/** Days until which a report is usually put off. */
const HOUR = 8;

function morningIn(days: number): string {
  const day = new Date();
  day.setDate(day.getDate() + days);
  day.setHours(HOUR, 0, 0, 0);
  return day.toISOString();
}

export const snoozes = (): readonly { label: string; until: string }[] => [
  { label: 'Domani mattina', until: morningIn(1) },
  { label: 'Lunedì mattina', until: morningIn((8 - new Date().getDay()) % 7 || 7) },
  { label: 'Tra una settimana', until: morningIn(7) },
  { label: 'Tra un mese', until: morningIn(30) },
];
