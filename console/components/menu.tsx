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
  label?: string; // for screen readers, if the title is a symbol
  entries: readonly MenuEntry[];
}

export function Menu({ title, label, entries }: MenuProps) {
  const isOpen = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!isOpen.value) return undefined;
    box.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
    const close = (event: Event): void => {
      if (!(event.target instanceof Node && box.current?.contains(event.target))) isOpen.value = false;
    };
    document.addEventListener('pointerdown', close);
    return () => document.removeEventListener('pointerdown', close);
  }, [isOpen.value]);
  const onKey = (event: KeyboardEvent): void => {
    const items = [...(box.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    if (event.key === 'Escape') {
      isOpen.value = false;
      box.current?.querySelector('button')?.focus();
    } else if (event.key === 'ArrowDown') items[(at + 1) % items.length]?.focus();
    else if (event.key === 'ArrowUp') items.at(at - 1)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the box handles the keys of all entries
    <div class="menu" ref={box} onKeyDown={onKey}>
      <button
        type="button"
        class="plain"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {title}
        {label === undefined && <span aria-hidden="true"> ▾</span>}
      </button>
      {isOpen.value && (
        <div class="menu-list" role="menu" aria-label={label ?? title}>
          {entries.map((entry) => (
            <Entry
              key={entry.key}
              entry={entry}
              onTaken={() => {
                isOpen.value = false;
              }}
            />
          ))}
        </div>
      )}
    </div>
  );
}

function Entry({ entry, onTaken }: { entry: MenuEntry; onTaken(): void }) {
  const { title, note = '', obstacle } = entry;
  const text = (
    <>
      {title}
      {(obstacle ?? note) !== '' && <small>{obstacle ?? note}</small>}
    </>
  );
  if ('url' in entry)
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
        if (obstacle !== undefined) return;
        onTaken();
        entry.act();
      }}
    >
      {text}
    </button>
  );
}
