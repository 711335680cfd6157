/** Shows a page light, dark, or as the device is: `light dark`, where it asks for neither the first. */
export function showTheme(theme: string, page = document): void {
  page.documentElement.dataset.theme = theme;
  page.querySelector('meta[name="color-scheme"]')?.setAttribute('content', theme);
}
