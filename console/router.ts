// Which page an address names. Links of the console are followed without loading it anew; each visit has a number, so
// that a link to the page that is shown already loads its data again.
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { keepScrolled, scrollAsIn, scrollToTop } from './scrolled.ts';
import type { Facts, Session } from './session.ts';
import { root } from './urls.ts';

export interface PageProps {
  params: Readonly<Record<string, string>>;
  session: Session;
  facts: Facts;
}

export interface Page {
  path: string; // below the root: /monitoring/{region}; /resources/{path*} takes all that follows
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
      params[expected.slice(1, -2)] = `/${parts.slice(at).join('/')}`; // as it came: its parts may hold slashes
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
  number: number; // 0: the page was loaded here
}

export const visit = signal<Visit>({ path: location.pathname, number: 0 });
let shownUrl = location.href; // of the page, with the query that it was opened with

// Each entry of the browser's history has a name of its own, also after the console was loaded anew.
let entries = 0;
const newEntry = (): { entry: string } => ({ entry: `${performance.timeOrigin} ${++entries}` });
const entryOf = (state: unknown): string => (state as { entry?: string } | null)?.entry ?? '';
let shownEntry = entryOf(history.state);

// Who leaves a page is asked first where something would be lost; main.tsx says how.
export const leaving = {
  mayLeave: (): boolean => true,
  ask: (leave: () => void): void => leave(),
};

export function visitAgain(): void {
  shownUrl = location.href;
  tab.value = tabOf(location.href);
  visit.value = { path: location.pathname, number: visit.value.number + 1 };
}

// Another page in place of this one, which has none of its own to show.
export function openInstead(path: string): void {
  history.replaceState(history.state, '', path);
  visitAgain();
}

// The tab of the page that the address names: `?tab=diagram`. Another one is shown without loading the page anew.
export const tab = signal(tabOf(location.href));

function tabOf(url: string): string {
  return new URL(url, location.href).searchParams.get('tab') ?? '';
}

function withoutTab(url: string): string {
  const { pathname, searchParams } = new URL(url, location.href);
  searchParams.delete('tab');
  return `${pathname}?${searchParams}`;
}

// To another page, as a link would.
export function go(url: string): void {
  const isTab = withoutTab(url) === withoutTab(location.href) && tabOf(url) !== tab.value;
  if (!isTab && !leaving.mayLeave()) {
    leaving.ask(() => go(url));
    return;
  }
  keepScrolled(shownEntry);
  if (new URL(url, location.href).href !== location.href) history.pushState(newEntry(), '', url);
  shownEntry = entryOf(history.state);
  tab.value = tabOf(url);
  if (isTab) return;
  scrollToTop();
  visitAgain();
}

export function followLinks(): void {
  addEventListener('popstate', () => {
    const isElsewhere = location.pathname !== visit.value.path;
    if (isElsewhere && !leaving.mayLeave()) {
      // The page is still shown: its address is put back, one step ahead.
      history.pushState({ entry: shownEntry }, '', shownUrl);
      leaving.ask(() => history.back());
      return;
    }
    keepScrolled(shownEntry);
    shownEntry = entryOf(history.state);
    tab.value = tabOf(location.href);
    if (!isElsewhere) return; // the browser itself goes to places within a page
    scrollAsIn(shownEntry);
    visitAgain();
  });
  document.addEventListener('click', (event) => {
    const target = consoleUrl(event);
    if (target === undefined) return;
    event.preventDefault();
    go(target);
  });
}

// The address of the console that a click leads to, unless the user wants it in another tab.
function consoleUrl(event: MouseEvent): string | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  // Also within pictures, where the properties of a link are objects.
  const anchor = event.target instanceof Element ? event.target.closest('a') : null;
  if (!anchor || anchor.hasAttribute('target') || anchor.hasAttribute('download')) return undefined;
  const { origin, pathname, search, hash } = new URL(anchor.getAttribute('href') ?? '', location.href);
  const isOurs = origin === location.origin && (pathname === root || pathname.startsWith(`${root}/`));
  return isOurs && hash === '' ? pathname + search : undefined;
}
