// Which page an address names. Links of the console are followed without loading it anew; the title, the focus and
// the reader's place are set as a browser would. A page that is left gets to know it by its signal.
import type { Facts, Session } from './session.ts';

export const root = '/console';

export interface Visit {
  params: Readonly<Record<string, string>>;
  session: Session;
  facts: Facts;
  signal: AbortSignal; // aborted when another page is shown
}

export interface Page {
  path: string; // below the root: /monitoring/{region}
  title: string | ((params: Visit['params']) => string);
  show(visit: Visit): Node | Promise<Node>;
}

export interface Match {
  page: Page;
  params: Record<string, string>;
}

export function matchPage(pages: readonly Page[], pathname: string): Match | undefined {
  const parts = partsOf(pathname.slice(root.length));
  for (const page of pages) {
    const params = paramsOf(partsOf(page.path), parts);
    if (params) return { page, params };
  }
  return undefined;
}

const partsOf = (path: string): string[] => path.split('/').filter(Boolean);

function paramsOf(pattern: string[], parts: string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, expected] of pattern.entries()) {
    const part = parts[at] ?? '';
    if (expected.startsWith('{')) params[expected.slice(1, -1)] = decoded(part);
    else if (expected !== part) return undefined;
  }
  return params;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const titleOf = ({ page, params }: Match): string =>
  typeof page.title === 'function' ? page.title(params) : page.title;

let shown = location.pathname;

// Calls back with each address of the console that the reader goes to.
export function followLinks(onVisit: () => void): void {
  const visit = (): void => {
    shown = location.pathname;
    scrollTo(0, 0);
    onVisit();
  };
  addEventListener('popstate', () => {
    if (location.pathname !== shown) visit(); // a place within the page is the browser's business
  });
  document.addEventListener('click', (event) => {
    const target = followed(event);
    if (target === undefined) return;
    event.preventDefault();
    if (target !== location.pathname) history.pushState(null, '', target);
    visit();
  });
}

// The console's own address that a click leads to, unless the reader wants it elsewhere.
function followed(event: MouseEvent): string | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const anchor = event.target instanceof Element ? event.target.closest('a') : null;
  if (!anchor || anchor.target || anchor.hasAttribute('download')) return undefined;
  const { origin, pathname, hash } = new URL(anchor.href, location.href);
  const isOurs = origin === location.origin && (pathname === root || pathname.startsWith(`${root}/`));
  return isOurs && hash === '' ? pathname : undefined;
}
