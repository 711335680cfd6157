/** Days of the calendar as addresses and programs write them, `2026-11-20`. */

/** `20/11/2026`. */
export const dayText = (day: string): string => day.split('-').reverse().join('/');
