// Keyboard shortcuts of the page: / for the search, j and k for the next and previous line, Enter for details, c for
// surrounding lines, l for live, w to wrap. They are off while the user types.
import type { Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { perform } from '../components/toast.tsx';
import { openContext } from './lines/context-dialog.tsx';
import type { LogsModel } from './logs-model.ts';

export interface KeysOptions {
  model: LogsModel;
  field: RefObject<HTMLTextAreaElement | null>; // the search field
  active: Signal<string | undefined>;
  opened: Signal<ReadonlySet<string>>;
}

const pageRows = 20;

export function useKeys(options: KeysOptions): void {
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isMeant = !event.ctrlKey && !event.metaKey && !event.altKey && !event.defaultPrevented;
      if (isMeant && !isInDialogOrField(event.target) && press(event, options)) event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

const isInDialogOrField = (target: EventTarget | null): boolean =>
  document.querySelector('dialog[open]') !== null ||
  (target instanceof HTMLElement && target.closest('input, textarea, select') !== null);

// False: not a shortcut.
function press({ key, target }: KeyboardEvent, { model, field, active, opened }: KeysOptions): boolean {
  const lines = model.lines.lines.value;
  const at = lines.findIndex((line) => line.key === active.value);
  const go = (row: number): boolean => {
    const line = lines[Math.max(0, Math.min(lines.length - 1, row))];
    if (line) active.value = line.key;
    if (line === lines.at(-1)) void model.lines.loadOlder();
    return line !== undefined;
  };
  const isInList = target instanceof HTMLElement && target.closest('.logs-lines') !== null;
  const line = lines[at];
  switch (key) {
    case '/':
      field.current?.focus();
      return true;
    case 'j':
      return go(at + 1);
    case 'k':
      return go(at - 1);
    case 'ArrowDown':
      return isInList && go(at + 1);
    case 'ArrowUp':
      return isInList && go(at - 1);
    case 'PageDown':
      return isInList && go(at + pageRows);
    case 'PageUp':
      return isInList && go(at - pageRows);
    case 'Enter': {
      const isOnControl = target instanceof HTMLElement && target.closest('button, a') !== null;
      if (isOnControl || !line) return false;
      const keys = new Set(opened.value);
      if (!keys.delete(line.key)) keys.add(line.key);
      opened.value = keys;
      return true;
    }
    case 'c':
      if (line) openContext(model.source.value, line);
      return line !== undefined;
    case 'l':
      if (model.isLive.value) model.pause();
      else perform(() => model.follow());
      return true;
    case 'w':
      model.doesWrap.value = !model.doesWrap.value;
      return true;
    default:
      return false;
  }
}
