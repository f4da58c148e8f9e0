// A panel of the overview. Its heading links to the page with details, and its space is reserved before the data
// arrives.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { ApiError } from '../api.ts';
import type { Resource } from '../components/fetched.ts';
import { Skeleton } from '../components/skeleton.tsx';
import { Failure } from '../components/states.tsx';

export interface PanelProps<T> {
  title: string;
  url?: string;
  class?: string;
  resource: Resource<T>;
  what: string; // `the alerts`
  rows: number; // of reserved space
  children(value: T): ComponentChildren;
}

export function Panel<T>({ title, url, class: look = '', resource, what, rows, children }: PanelProps<T>) {
  const id = useId();
  const answer = resource.answer.value;
  return (
    <section class={`panel overview-panel ${look}`} aria-labelledby={id} aria-busy={resource.isBusy.value || undefined}>
      <h2 id={id}>
        {url === undefined ? (
          title
        ) : (
          <a class="overview-title" href={url}>
            {title}
          </a>
        )}
      </h2>
      {!answer ? (
        <Skeleton rows={rows} what={what} />
      ) : 'error' in answer ? (
        <Refused error={answer.error} what={what} retry={() => void resource.reload()} />
      ) : (
        children(answer.value)
      )}
    </section>
  );
}

const Refused = ({ error, what, retry }: { error: unknown; what: string; retry(): void }) =>
  error instanceof ApiError && error.status === 403 ? (
    <p class="overview-none">{`You may not see ${what}.`}</p>
  ) : (
    <Failure title={`Could not get ${what}.`} error={error} retry={retry} />
  );
