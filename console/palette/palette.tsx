// The command palette. Ctrl-K opens it, words find pages, resources and actions, Enter opens or runs an entry, and Tab
// shows the actions of a resource.
import { useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Dialog, openDialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { useAbortSignal } from '../components/resource.ts';
import { knownModels } from '../resources/page-urls.ts';
import { refusalOf } from '../rights/session-rights.ts';
import { go } from '../router.ts';
import type { Creation, Entry } from './entries.ts';
import { pageEntries } from './page-entries.ts';
import { actionsOf, listResources, searchResources } from './palette-api.ts';
import { PaletteState } from './palette-state.ts';

const pauseMs = 120; // between the last key and the search

let isOpen = false;

// With `creation`, it first asks for the parent of the new resource.
export function openPalette(actions: readonly Entry[], creation?: Creation): void {
  if (isOpen) return;
  isOpen = true;
  openDialog((close) => (
    <Palette
      actions={actions}
      creation={creation}
      close={() => {
        isOpen = false;
        close();
      }}
    />
  ));
}

export const PaletteButton = ({ onPress }: { onPress(): void }) => (
  <button
    type="button"
    class="plain palette-button"
    aria-label="Search Ctrl K"
    onClick={onPress}
    aria-keyshortcuts="Control+K"
  >
    <Icon name="search" />
    <span>Search</span> <kbd>Ctrl K</kbd>
  </button>
);

// Opens the palette by the keyboard, wherever the focus is.
export function usePaletteKey(open: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      open();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

interface PaletteProps {
  actions: readonly Entry[];
  creation: Creation | undefined;
  close(): void;
}

function Palette({ actions, creation, close }: PaletteProps) {
  const id = useId();
  const aborted = useAbortSignal();
  const list = useRef<HTMLDivElement>(null);
  const state = useMemo(
    () =>
      new PaletteState(
        {
          pathname: location.pathname,
          pages: pageEntries(),
          actions,
          models: knownModels,
          search: searchResources,
          actionsOf,
          list: listResources,
          refusal: refusalOf,
        },
        aborted,
      ),
    [],
  );
  useLayoutEffect(() => void state.begin(creation), []);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(() => void state.look(controller.signal), pauseMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [state.text.value, state.within.value]);
  const entries = state.entries.value;
  const within = state.within.value;
  const at = Math.min(state.chosen.value, entries.length - 1);
  const start = (entry: Entry | undefined): void => {
    if (!entry || entry.isOff) return;
    if (entry.creates) {
      void state.ask(entry.creates);
      return;
    }
    close();
    if (entry.url === undefined) entry.act?.();
    else if (entry.url.startsWith('/console')) go(entry.url);
    else location.assign(entry.url);
  };
  const onKey = (event: KeyboardEvent): void => {
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1 };
    const to = moves[event.key];
    if (to !== undefined) {
      state.chosen.value = (to + entries.length) % Math.max(1, entries.length);
      list.current?.children[state.chosen.value]?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') start(entries[at]);
    else if (event.key === 'Tab' && !event.shiftKey && entries[at]?.path !== undefined) void state.enter(entries[at]);
    else if (event.key === 'Backspace' && within && state.text.value === '') state.leave();
    else return;
    event.preventDefault();
  };
  const what = within?.question ?? 'Search pages, resources and actions';
  return (
    <Dialog title="Go to" close={close}>
      <div class="palette-field">
        {within && <span class="palette-within">{within.name}</span>}
        <input
          type="text"
          role="combobox"
          aria-label={what}
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={entries.length > 0 ? `${id}-${at}` : undefined}
          placeholder={what}
          autocomplete="off"
          spellcheck={false}
          value={state.text.value}
          onInput={(event) => state.write(event.currentTarget.value)}
          onKeyDown={onKey}
        />
      </div>
      <div class="palette-list" role="listbox" id={id} ref={list} aria-label="Results">
        {entries.map((entry, place) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus and refers to the selected entry
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
          <div
            key={entry.key}
            id={`${id}-${place}`}
            role="option"
            aria-selected={place === at}
            aria-disabled={entry.isOff}
            class="palette-entry"
            onClick={() => start(entry)}
          >
            <span>{entry.text}</span>
            <small>{entry.note}</small>
            {entry.path !== undefined && (
              // An option can't contain a button. Tab does the same.
              <span
                class="palette-more"
                aria-hidden="true"
                onClick={(event) => {
                  event.stopPropagation();
                  void state.enter(entry);
                }}
              >
                Actions
              </span>
            )}
          </div>
        ))}
      </div>
      {entries.length === 0 && <p role="status">No matches.</p>}
      <p class="palette-keys">
        <kbd>↑</kbd> <kbd>↓</kbd> select · <kbd>Enter</kbd> {within ? 'run' : 'open'} ·{' '}
        {within ? (
          <>
            <kbd>⌫</kbd> back
          </>
        ) : (
          <>
            <kbd>Tab</kbd> show actions · or type <q>stop web-1</q>
          </>
        )}
      </p>
    </Dialog>
  );
}
