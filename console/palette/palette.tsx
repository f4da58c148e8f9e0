// The command palette: Ctrl-K or / opens it from everywhere, words find pages, things and actions, Enter goes there.
import { useSignal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Dialog, openDialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import type { ResourceModel } from '../resources/model.ts';
import { knownModels, thingUrl } from '../resources/things.ts';
import { go } from '../router.ts';
import { type Entry, entriesHere, inOrder, matching, pageEntries, resourceEntries } from './entries.ts';
import { searchThings } from './search.ts';

const mostShown = 12;
const pauseMs = 120; // between the last key and the search for things

let isOpen = false;

export function openPalette(actions: readonly Entry[]): void {
  if (isOpen) return;
  isOpen = true;
  openDialog((close) => (
    <Palette
      actions={actions}
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

function Palette({ actions, close }: { actions: readonly Entry[]; close(): void }) {
  const id = useId();
  const text = useSignal('');
  const chosen = useSignal(0);
  const models = useSignal<readonly ResourceModel[]>([]);
  const things = useSignal<readonly Entry[]>([]);
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    void knownModels().then((known) => {
      models.value = known;
    });
  }, []);
  useEffect(() => {
    const words = text.value.trim();
    if (words.length < 2) {
      things.value = [];
      return undefined;
    }
    const controller = new AbortController();
    const timer = setTimeout(() => {
      searchThings(words, controller.signal).then(
        (found) => {
          things.value = found.flatMap(({ name, kind, path }): Entry[] => {
            const url = thingUrl(models.value, path);
            return url === undefined ? [] : [{ text: name, note: kind, url }];
          });
        },
        () => undefined, // pages and actions are found all the same
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text.value]);
  const fixed = useMemo(() => {
    const here = entriesHere(models.value, location.pathname);
    return [...pageEntries(), ...here, ...resourceEntries(models.value), ...actions];
  }, [models.value]);
  const entries = inOrder(matching(fixed, text.value).slice(0, mostShown), things.value, text.value);
  const at = Math.min(chosen.value, entries.length - 1);
  const start = (entry: Entry | undefined): void => {
    if (!entry) return;
    close();
    if (entry.url === undefined) entry.act?.();
    else if (entry.url.startsWith('/console')) go(entry.url);
    else location.assign(entry.url);
  };
  const onKey = (event: KeyboardEvent): void => {
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1 };
    const to = moves[event.key];
    if (to !== undefined) {
      chosen.value = (to + entries.length) % Math.max(1, entries.length);
      list.current?.children[chosen.value]?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') start(entries[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" close={close}>
      <input
        type="text"
        role="combobox"
        aria-label="Pages, things by name or id, actions"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={entries.length > 0 ? `${id}-${at}` : undefined}
        placeholder="Pages, things by name or id, actions"
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          chosen.value = 0;
        }}
        onKeyDown={onKey}
      />
      <div class="palette-list" role="listbox" id={id} ref={list} aria-label="Found">
        {entries.map((entry, place) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, and names the chosen entry
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field hears the keys
          <div
            key={`${entry.note} ${entry.url ?? entry.text}`}
            id={`${id}-${place}`}
            role="option"
            aria-selected={place === at}
            class="palette-entry"
            onClick={() => start(entry)}
          >
            <span>{entry.text}</span>
            <small>{entry.note}</small>
          </div>
        ))}
      </div>
      {entries.length === 0 && <p role="status">Nothing has these words.</p>}
    </Dialog>
  );
}
