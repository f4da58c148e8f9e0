// The views of one thing: links in a row, of which the current one is marked. The address names it.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface TabLink {
  name: string;
  title: ComponentChildren;
  url: string;
}

export function Tabs({ label, tabs, current }: { label: string; tabs: readonly TabLink[]; current: string }) {
  const row = useRef<HTMLElement>(null);
  // In a narrow window the row scrolls, and the page does not.
  useLayoutEffect(() => {
    const [all, one] = [row.current, row.current?.querySelector<HTMLElement>('[aria-current]')];
    if (all && one) all.scrollLeft = one.offsetLeft - all.offsetLeft - (all.clientWidth - one.offsetWidth) / 2;
  }, [current]);
  return (
    <nav class="tabs" aria-label={label} ref={row}>
      {tabs.map(({ name, title, url }) => (
        <a key={name} href={url} aria-current={name === current ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
