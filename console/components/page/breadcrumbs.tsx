// The breadcrumbs of a page, from the top level down.
import type { ComponentChildren } from 'preact';

export interface Crumb {
  text: ComponentChildren;
  url: string;
}

export const Breadcrumbs = ({ crumbs }: { crumbs: readonly Crumb[] }) => (
  <nav class="crumbs" aria-label="Breadcrumbs">
    <ol>
      {crumbs.map(({ text, url }) => (
        <li key={url}>
          <a href={url}>{text}</a>
        </li>
      ))}
    </ol>
  </nav>
);
