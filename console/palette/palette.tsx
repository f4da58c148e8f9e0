// The command palette: Ctrl-K opens it from everywhere, words find pages, things and actions, Enter goes there or
// begins it, and Tab shows what can be done with a thing.
import { useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Dialog, openDialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { useAbortSignal } from '../components/resource.ts';
import { knownModels } from '../resources/things.ts';
import { go } from '../router.ts';
import type { Entry, Making } from './entries.ts';
import { pageEntries } from './page-entries.ts';
import { PaletteState } from './palette-state.ts';
import { actionsOf, listThings, searchThings } from './things.ts';

const pauseMs = 120; // between the last key and the search for things

let isOpen = false;

// `making`: it begins with the question in what this is made.
export function openPalette(actions: readonly Entry[], making?: Making): void {
  if (isOpen) return;
  isOpen = true;
  openDialog((close) => (
    <Palette
      actions={actions}
      making={making}
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

// Opens it by the keyboard, wherever the focus is.
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
  making: Making | undefined;
  close(): void;
}

function Palette({ actions, making, close }: PaletteProps) {
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
          search: searchThings,
          actionsOf,
          list: listThings,
        },
        aborted,
      ),
    [],
  );
  useLayoutEffect(() => void state.begin(making), []);
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
    if (entry.makes) {
      void state.ask(entry.makes);
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
  const what = within?.question ?? 'Pages, things by name or id, actions';
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
      <div class="palette-list" role="listbox" id={id} ref={list} aria-label="Found">
        {entries.map((entry, place) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, and names the chosen entry
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field hears the keys
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
              // An option can't have a button in it; Tab does the same.
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
      {entries.length === 0 && (
        <p role="status">{within ? 'Nothing here has these words.' : 'Nothing has these words.'}</p>
      )}
      <p class="palette-keys">
        <kbd>↑</kbd> <kbd>↓</kbd> choose · <kbd>Enter</kbd> {within ? 'do it' : 'open'} ·{' '}
        {within ? (
          <>
            <kbd>⌫</kbd> back
          </>
        ) : (
          <>
            <kbd>Tab</kbd> actions of a thing · or write <q>stop web-1</q>
          </>
        )}
      </p>
    </Dialog>
  );
}
