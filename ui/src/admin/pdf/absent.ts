/**
 * Stands in for the parts of jsPDF that draw web pages and pictures: the record is text. Must never be reached at run
 * time; the build puts it in their place (vite.config.ts), which halves what a click has to load.
 */

export function decode(): never {
  throw new Error('the record draws no pictures');
}

export default decode;
