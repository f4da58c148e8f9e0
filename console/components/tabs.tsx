// The views of one thing: links in a row, of which the current one is marked. The address names it.
import type { ComponentChildren } from 'preact';

export interface TabLink {
  name: string;
  title: ComponentChildren;
  url: string;
}

export const Tabs = ({ label, tabs, current }: { label: string; tabs: readonly TabLink[]; current: string }) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ name, title, url }) => (
      <a key={name} href={url} aria-current={name === current ? 'page' : undefined}>
        {title}
      </a>
    ))}
  </nav>
);
