// The ways between the pages, at the side; in a narrow window they open from the top bar. A link is current on all
// pages whose address begins with its own.
import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { Icon } from './components/icon.tsx';
import { visit } from './router.ts';
import { groups, type Part } from './sitemap.ts';
import { overviewUrl } from './urls.ts';

const isNavigationOpen = signal(false); // in a narrow window

export function Navigation() {
  const { number } = visit.value;
  useLayoutEffect(() => {
    isNavigationOpen.value = false;
  }, [number]);
  return (
    <nav class={isNavigationOpen.value ? 'side open' : 'side'} id="navigation" aria-label="Console">
      {groups.map(({ title, parts }) => (
        <div key={title} class="group">
          <p>{title}</p>
          {parts.map((part) => (
            <a key={part.url} href={part.url} aria-current={isCurrent(part) ? 'page' : undefined}>
              <Icon name={part.icon} />
              {part.title}
            </a>
          ))}
        </div>
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

const isCurrent = ({ url, beside = [] }: Part): boolean => isWithin(url) || beside.some((one) => isWithin(one.url));

function isWithin(url: string): boolean {
  const here = visit.value.path.replace(/\/$/, '');
  return here === url || (url !== overviewUrl() && here.startsWith(`${url}/`));
}
