// The states of a page part: loading, empty and failed.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isTemporary, sentencesOf } from '../api.ts';
import { Button } from './button.tsx';
import type { Resource } from './fetched.ts';
import { Skeleton } from './skeleton.tsx';

const retryMs = 2000;

export interface LoadedProps<T> {
  resource: Resource<T>;
  what: string; // `the tokens`
  children(value: T): ComponentChildren;
}

export function Loaded<T>({ resource, what, children }: LoadedProps<T>) {
  const answer = resource.answer.value;
  return (
    <div class="loaded" aria-busy={resource.isBusy.value || undefined}>
      {!answer ? (
        <Waiting what={what} />
      ) : 'error' in answer ? (
        <Failure title={`Could not load ${what}.`} error={answer.error} retry={() => void resource.reload()} />
      ) : (
        children(answer.value)
      )}
    </div>
  );
}

export const Waiting = ({ what }: { what: string }) => (
  <div class="waiting">
    <Skeleton rows={3} what={what} />
  </div>
);

export const Empty = ({ text, children }: { text: string; children?: ComponentChildren }) => (
  <div class="state">
    <p>{text}</p>
    {children}
  </div>
);

export interface FailureProps {
  title?: string;
  error: unknown;
  retry?: () => void;
}

// While the region does not answer, it retries by itself.
export function Failure({ title, error, retry }: FailureProps) {
  const latest = useRef(retry);
  latest.current = retry;
  useLayoutEffect(() => {
    if (!isTemporary(error)) return undefined;
    const timer = setInterval(() => !document.hidden && latest.current?.(), retryMs);
    return () => clearInterval(timer);
  }, [error]);
  return (
    <div class="state failed" role="alert">
      {title && (
        <p>
          <strong>{title}</strong>
        </p>
      )}
      {sentencesOf(error).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {retry && <Button text="Try again" look="plain" onPress={retry} />}
    </div>
  );
}
