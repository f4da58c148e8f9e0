// The navigation at the side; in a narrow window it opens from the top bar. A link is current on all pages whose
// address starts with its own.
import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { Icon } from './components/icon.tsx';
import { visit } from './router.ts';
import { groups, type NavigationPart } from './sitemap.ts';
import { overviewUrl } from './urls.ts';

const isNavigationOpen = signal(false); // in a narrow window

// The browser stores which groups the user has closed.
const storageKey = 'closed-groups';
const closedGroups = signal<readonly string[]>(localStorage.getItem(storageKey)?.split('\n') ?? []);

const rememberGroup = (title: string) => (event: { currentTarget: HTMLDetailsElement }) => {
  const { open } = event.currentTarget;
  if (open !== closedGroups.value.includes(title)) return; // the browser reports the first state, too
  const others = closedGroups.value.filter((one) => one !== title);
  closedGroups.value = open ? others : [...others, title];
  localStorage.setItem(storageKey, closedGroups.value.join('\n'));
};

export function Navigation() {
  const { number } = visit.value;
  useLayoutEffect(() => {
    isNavigationOpen.value = false;
  }, [number]);
  const current = currentPart();
  return (
    <nav class={isNavigationOpen.value ? 'side open' : 'side'} id="navigation" aria-label="Console">
      {groups().map(({ title, parts }) => (
        <details key={title} class="group" open={!closedGroups.value.includes(title)} onToggle={rememberGroup(title)}>
          <summary>
            {title}
            <Icon name="expand" />
          </summary>
          {parts.map((part) => (
            <a key={part.url} href={part.url} aria-current={part === current ? 'page' : undefined}>
              <Icon name={part.icon} />
              {part.title}
            </a>
          ))}
        </details>
      ))}
    </nav>
  );
}

export const NavigationButton = () => (
  <button
    type="button"
    class="plain menu-button"
    aria-expanded={isNavigationOpen.value}
    aria-controls="navigation"
    onClick={() => {
      isNavigationOpen.value = !isNavigationOpen.value;
    }}
  >
    Menu
  </button>
);

// The longest matching address wins, because the list of all servers starts like the list of datacenters.
const currentPart = (): NavigationPart | undefined =>
  groups()
    .flatMap(({ parts }) => parts)
    .flatMap((part) => [part, ...part.beside].map(({ url }) => ({ part, url })))
    .filter(({ url }) => isWithin(url))
    .sort((a, b) => b.url.length - a.url.length)[0]?.part;

function isWithin(url: string): boolean {
  const here = visit.value.path.replace(/\/$/, '');
  return here === url || (url !== overviewUrl() && here.startsWith(`${url}/`));
}
