// The style sheets of these pages and of the chart library, which nobody else needs: they are there before a page is
// shown.
import { element } from '../dom.ts';

const sheets = ['../library/uplot.css', './monitoring.css'];

let ready: Promise<unknown> | undefined;

export function styles(): Promise<unknown> {
  ready ??= Promise.all(sheets.map((sheet) => loadedSheet(new URL(sheet, import.meta.url).href)));
  return ready;
}

// A page without its styles is still a page.
const loadedSheet = (href: string): Promise<void> =>
  new Promise((resolve) => {
    document.head.append(element('link', { rel: 'stylesheet', href, load: () => resolve(), error: () => resolve() }));
  });
