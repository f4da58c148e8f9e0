// A view whose code is loaded when it is first shown, so that the initial download stays small.
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { Failure, Waiting } from './components/states.tsx';
import { visit } from './router.ts';

export function lazyView<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const view = signal<ComponentType<Props> | undefined>(undefined);
  const failure = signal<unknown>(undefined);
  const begin = (): void => {
    load().then(
      (loaded) => {
        failure.value = undefined;
        view.value = loaded;
      },
      (error: unknown) => {
        failure.value = error;
      },
    );
  };
  return function Lazy(props: Props) {
    useLayoutEffect(() => {
      if (!view.value) begin();
    }, []);
    const View = view.value;
    useLayoutEffect(() => {
      if (View) focusHeading();
    }, [View]);
    if (View) return <View {...props} />;
    if (failure.value !== undefined)
      return <Failure title="This page could not be loaded." error={failure.value} retry={begin} />;
    return <Waiting what="the page" />;
  };
}

// Focuses the heading after a navigation, as on pages that are loaded already.
function focusHeading(): void {
  if (visit.value.number === 0 || document.activeElement !== document.body) return;
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}
