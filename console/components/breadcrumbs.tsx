// The way from the top down to what a page shows.

export interface Crumb {
  text: string;
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
