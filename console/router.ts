// The router. It follows links within the console without reloading it. Each visit has a number, so a link to the
// current page reloads its data.
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { restoreScrollPosition, saveScrollPosition, scrollToTop } from './scroll-positions.ts';
import type { Facts, Session } from './session.ts';
import { root } from './urls.ts';

export interface PageProps {
  params: Readonly<Record<string, string>>;
  session: Session;
  facts: Facts;
}

export interface Page {
  path: string; // below the root: /monitoring/{region}; `{path*}` in /resources/{path*} matches the rest
  title: string | ((params: PageProps['params']) => string);
  view: ComponentType<PageProps>;
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
  const takesRest = pattern.at(-1)?.endsWith('*}') === true;
  if (takesRest ? pattern.length > parts.length : pattern.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, expected] of pattern.entries()) {
    const part = parts[at] ?? '';
    if (expected.endsWith('*}')) {
      params[expected.slice(1, -2)] = `/${parts.slice(at).join('/')}`; // not decoded, may contain encoded slashes
      return params;
    }
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

export interface Visit {
  path: string;
  number: number; // 0 for the page that the browser loaded
}

export const visit = signal<Visit>({ path: location.pathname, number: 0 });
let shownUrl = location.href; // with the query that the page was opened with

// Each entry of the browser's history has a unique name, also after a reload of the console.
let entries = 0;
const newEntry = (): { entry: string } => ({ entry: `${performance.timeOrigin} ${++entries}` });
const entryOf = (state: unknown): string => (state as { entry?: string } | null)?.entry ?? '';
let shownEntry = entryOf(history.state);

// Asks the user before unsaved changes are lost. main.tsx sets both functions.
export const leaving = {
  mayLeave: (): boolean => true,
  ask: (leave: () => void): void => leave(),
};

export function visitAgain(): void {
  shownUrl = location.href;
  tab.value = tabOf(location.href);
  visit.value = { path: location.pathname, number: visit.value.number + 1 };
}

// Redirects to another page without a new history entry.
export function openInstead(path: string): void {
  history.replaceState(history.state, '', path);
  visitAgain();
}

// The tab in the address: `?tab=diagram`. A change of the tab does not reload the page.
export const tab = signal(tabOf(location.href));

function tabOf(url: string): string {
  return new URL(url, location.href).searchParams.get('tab') ?? '';
}

function withoutTab(url: string): string {
  const { pathname, searchParams } = new URL(url, location.href);
  searchParams.delete('tab');
  return `${pathname}?${searchParams}`;
}

// Opens a page like a link does.
export function go(url: string): void {
  const isTab = withoutTab(url) === withoutTab(location.href) && tabOf(url) !== tab.value;
  if (!isTab && !leaving.mayLeave()) {
    leaving.ask(() => go(url));
    return;
  }
  saveScrollPosition(shownEntry);
  if (new URL(url, location.href).href !== location.href) history.pushState(newEntry(), '', url);
  shownEntry = entryOf(history.state);
  tab.value = tabOf(url);
  if (isTab) return;
  scrollToTop();
  visitAgain();
}

export function followLinks(): void {
  addEventListener('popstate', () => {
    const isOtherPage = location.pathname !== visit.value.path;
    if (isOtherPage && !leaving.mayLeave()) {
      // The page stays, so its address is restored as a new history entry.
      history.pushState({ entry: shownEntry }, '', shownUrl);
      leaving.ask(() => history.back());
      return;
    }
    saveScrollPosition(shownEntry);
    shownEntry = entryOf(history.state);
    tab.value = tabOf(location.href);
    if (!isOtherPage) return; // the browser itself scrolls to anchors of the page
    restoreScrollPosition(shownEntry);
    visitAgain();
  });
  document.addEventListener('click', (event) => {
    const target = consoleUrl(event);
    if (target === undefined) return;
    event.preventDefault();
    go(target);
  });
}

// The console address of a clicked link, unless the user opens it in another tab.
function consoleUrl(event: MouseEvent): string | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  // getAttribute also works for SVG links, whose `href` property is an object.
  const anchor = event.target instanceof Element ? event.target.closest('a') : null;
  if (!anchor || anchor.hasAttribute('target') || anchor.hasAttribute('download')) return undefined;
  const { origin, pathname, search, hash } = new URL(anchor.getAttribute('href') ?? '', location.href);
  const isOurs = origin === location.origin && (pathname === root || pathname.startsWith(`${root}/`));
  return isOurs && hash === '' ? pathname + search : undefined;
}
