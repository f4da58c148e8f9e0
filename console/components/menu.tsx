// A button that opens a menu of links or actions. Escape, a press outside and the use of an entry close it. Arrow keys
// move between entries.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface EntryText {
  key: string;
  title: string;
  note?: string;
  obstacle?: string | undefined; // why it is disabled now
}

export type MenuEntry = (EntryText & { url: string }) | (EntryText & { act(): void });

export interface MenuProps {
  title: string;
  entries: readonly MenuEntry[] | (() => readonly MenuEntry[]); // a function is called when the menu opens
  isCompact?: boolean; // a small button without its title
  isInRow?: boolean; // of a table, which has its own keys
}

const edgePx = 8; // between the list and the edge of the window

export function Menu({ title, entries, isCompact = false, isInRow = false }: MenuProps) {
  const isOpen = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const opener = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (!isOpen.value) return undefined;
    opener.current = box.current?.contains(document.activeElement) ? null : document.activeElement;
    if (isCompact) float(list.current, box.current);
    box.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus({ preventScroll: isCompact });
    const close = (event: Event): void => {
      if (!(event.target instanceof Node && box.current?.contains(event.target))) isOpen.value = false;
    };
    const top = box.current?.getBoundingClientRect().top;
    const onScroll = (): void => {
      // A floating list does not move with its button.
      if (isCompact && box.current?.getBoundingClientRect().top !== top) isOpen.value = false;
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('scroll', onScroll, true);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('scroll', onScroll, true);
    };
  }, [isOpen.value]);
  const close = (): void => {
    isOpen.value = false;
    const back = opener.current instanceof HTMLElement && opener.current !== document.body ? opener.current : undefined;
    (back ?? box.current?.querySelector('button'))?.focus();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (!isOpen.value) return;
    const items = [...(box.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    if (event.key === 'Escape') close();
    else if (event.key === 'ArrowDown') items[(at + 1) % items.length]?.focus();
    else if (event.key === 'ArrowUp') items.at(at - 1)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the box handles the keys of all entries
    <div class={isCompact ? 'menu compact' : 'menu'} ref={box} onKeyDown={onKey}>
      <button
        type="button"
        class="plain"
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        {...(isCompact && { 'aria-label': title })}
        {...(isInRow && { tabIndex: -1 })}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {isCompact ? <span aria-hidden="true">⋮</span> : title}
        {!isCompact && <span aria-hidden="true"> ▾</span>}
      </button>
      {isOpen.value && (
        <div
          class="menu-list"
          role="menu"
          aria-label={title}
          ref={list}
          {...(isCompact && { popover: 'manual' as const })}
        >
          {(typeof entries === 'function' ? entries() : entries).map((entry) => (
            <Entry key={entry.key} entry={entry} onTaken={close} />
          ))}
        </div>
      )}
    </div>
  );
}

// Above everything else, because a table cuts off what leaves it; below the button, or above it at the end of the page.
function float(list: HTMLElement | null, box: HTMLElement | null): void {
  if (!list || !box) return;
  list.showPopover();
  const [own, at] = [list.getBoundingClientRect(), box.getBoundingClientRect()];
  const fitsBelow = at.bottom + own.height + edgePx <= innerHeight;
  list.style.top = `${Math.max(edgePx, fitsBelow ? at.bottom : at.top - own.height)}px`;
  list.style.left = `${Math.max(edgePx, at.right - own.width)}px`;
}

function Entry({ entry, onTaken }: { entry: MenuEntry; onTaken(): void }) {
  const { title, note = '', obstacle } = entry;
  const text = (
    <>
      {title}
      {(obstacle ?? note) !== '' && <small>{obstacle ?? note}</small>}
    </>
  );
  if ('url' in entry && obstacle === undefined)
    return (
      <a href={entry.url} role="menuitem" onClick={onTaken}>
        {text}
      </a>
    );
  return (
    <button
      type="button"
      role="menuitem"
      aria-disabled={obstacle !== undefined}
      onClick={() => {
        if (obstacle !== undefined || !('act' in entry)) return;
        onTaken();
        entry.act();
      }}
    >
      {text}
    </button>
  );
}
