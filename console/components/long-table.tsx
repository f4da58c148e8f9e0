// A virtualized table: only visible rows are in the DOM. All rows have the same height, so positions are known without
// rendering. Arrow keys move between rows, Enter opens a row, Space selects it, the right arrow opens its menu, and a
// press with Shift selects a range.
// biome-ignore-all lint/a11y/useSemanticElements: table elements can't be positioned individually
// biome-ignore-all lint/a11y/useFocusableInteractive: rows take the focus, their cells do not
// biome-ignore-all lint/a11y/noStaticElementInteractions: the box handles the keys of all rows
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the same
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface LongColumn<Row> {
  key: string;
  title: string;
  cell(row: Row): ComponentChildren;
  least?: number; // minimum width in rem
  share?: number; // share of the remaining width
  isMinor?: boolean; // hidden in a narrow window
  isNumber?: boolean; // on the right
  isUntitled?: boolean; // the title is only for screen readers
  onSort?: () => void;
  sorted?: 'ascending' | 'descending' | undefined;
}

export interface LongTableProps<Row> {
  caption: string;
  columns: readonly LongColumn<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
  labelOf(row: Row): string;
  onOpen?(row: Row): void;
  chosen?: ReadonlySet<string>; // absent: rows can't be selected
  onChoose?(keys: readonly string[], isChosen: boolean): void;
  onEnd?(): void; // the end of the rows is near
  onKey?(event: KeyboardEvent, row: Row): void; // keys that the table itself does not handle
  children?: ComponentChildren; // after the last row
}

const rowHeight = 36;
const spare = 6; // extra rows above and below the visible ones

export function LongTable<Row>(props: LongTableProps<Row>) {
  const {
    caption,
    columns,
    rows,
    keyOf,
    labelOf,
    onOpen,
    chosen,
    onChoose,
    onEnd,
    onKey: onOtherKey,
    children,
  } = props;
  const box = useRef<HTMLDivElement>(null);
  const sight = useSignal({ top: 0, height: 800 });
  const current = useSignal(0);
  const first = Math.max(0, Math.floor(sight.value.top / rowHeight) - spare);
  const last = Math.min(rows.length, Math.ceil((sight.value.top + sight.value.height) / rowHeight) + spare);
  const look = (): void => {
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    const step = Math.floor(scrollTop / rowHeight) * rowHeight;
    if (step !== sight.value.top || clientHeight !== sight.value.height)
      sight.value = { top: step, height: clientHeight };
  };
  useLayoutEffect(() => {
    const watch = new ResizeObserver(look);
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (last >= rows.length - spare) onEnd?.();
  }, [last, rows.length]);

  const goTo = (at: number): void => {
    const place = Math.max(0, Math.min(rows.length - 1, at));
    current.value = place;
    const { current: list } = box;
    if (!list) return;
    const top = place * rowHeight;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + 2 * rowHeight > list.scrollTop + list.clientHeight)
      list.scrollTop = top + 2 * rowHeight - list.clientHeight;
    look();
    queueMicrotask(() => list.querySelector<HTMLElement>(`[data-at="${place}"]`)?.focus({ preventScroll: true }));
  };
  const onKey = (event: KeyboardEvent): void => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset.at === undefined) return;
    const at = Number(event.target.dataset.at);
    const row = rows[at];
    const page = Math.max(1, Math.floor(sight.value.height / rowHeight) - 1);
    const moves: Record<string, number> = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1 };
    const jumps: Record<string, number> = { PageDown: at + page, PageUp: at - page, Home: 0, End: rows.length - 1 };
    const to = moves[event.key] ?? jumps[event.key];
    if (event.metaKey || event.ctrlKey || event.altKey || !row) return;
    if (to !== undefined) goTo(to);
    else if (event.key === 'Enter' && onOpen) onOpen(row);
    else if (event.key === 'ArrowRight' || event.key === 'ContextMenu')
      event.target.querySelector<HTMLElement>('.menu > button')?.click();
    else if ((event.key === ' ' || event.key === 'x') && chosen) onChoose?.([keyOf(row)], !chosen.has(keyOf(row)));
    else {
      onOtherKey?.(event, row);
      return;
    }
    event.preventDefault();
  };
  const lastChosen = useRef(0);
  const choose = (at: number, isChosen: boolean, isRange: boolean): void => {
    const from = isRange ? lastChosen.current : at;
    lastChosen.current = at;
    onChoose?.(rows.slice(Math.min(from, at), Math.max(from, at) + 1).map(keyOf), isChosen);
  };

  const widthsOf = (of: typeof columns): string =>
    [...(chosen ? ['2.5rem'] : []), ...of.map(({ least = 7, share = 1 }) => `minmax(${least}rem, ${share}fr)`)].join(
      ' ',
    );
  const major = columns.filter(({ isMinor }) => !isMinor);
  const leastOf = (of: typeof columns): string =>
    `${of.reduce((sum, one) => sum + (one.least ?? 7), chosen ? 5 : 2.5)}rem`;
  const classes = columns.map(classOf);
  const areAllChosen = chosen !== undefined && rows.length > 0 && rows.every((row) => chosen.has(keyOf(row)));
  return (
    <div class="long-table" role="grid" aria-label={caption} aria-rowcount={rows.length + 1}>
      <div
        class="long-box"
        ref={box}
        onScroll={look}
        onKeyDown={onKey}
        style={{
          '--columns': widthsOf(columns),
          '--least': leastOf(columns),
          '--columns-narrow': widthsOf(major),
          '--least-narrow': leastOf(major),
        }}
      >
        <div class="long-row long-head" role="row" aria-rowindex={1}>
          {chosen && (
            <span role="columnheader" class="long-choice">
              <input
                type="checkbox"
                aria-label="Select all rows"
                checked={areAllChosen}
                disabled={rows.length === 0}
                onChange={(event) => onChoose?.(rows.map(keyOf), event.currentTarget.checked)}
              />
            </span>
          )}
          {columns.map(({ key, title, onSort, sorted, isUntitled }, at) => (
            <span key={key} role="columnheader" aria-sort={sorted} class={classes[at]}>
              {onSort ? (
                <button type="button" class="long-sort" onClick={onSort}>
                  {title}
                  <span aria-hidden="true">{sorted === 'ascending' ? ' ↑' : sorted === 'descending' ? ' ↓' : ''}</span>
                </button>
              ) : (
                <span class={isUntitled ? 'unseen' : undefined}>{title}</span>
              )}
            </span>
          ))}
        </div>
        <div class="long-rows" role="rowgroup" style={{ height: `${rows.length * rowHeight}px` }}>
          {rows.slice(first, last).map((row, index) => {
            const at = first + index;
            const key = keyOf(row);
            return (
              <div
                key={key}
                class="long-row"
                role="row"
                aria-rowindex={at + 2}
                aria-selected={chosen ? chosen.has(key) : undefined}
                data-at={at}
                tabIndex={at === Math.min(current.value, rows.length - 1) ? 0 : -1}
                style={{ top: `${at * rowHeight}px` }}
                onClick={(event) => {
                  current.value = at;
                  if (onOpen && !isControl(event.target)) onOpen(row);
                }}
              >
                {chosen && (
                  <span role="gridcell" class="long-choice">
                    <input
                      type="checkbox"
                      tabIndex={-1}
                      aria-label={`Select ${labelOf(row)}`}
                      checked={chosen.has(key)}
                      onClick={(event) => choose(at, event.currentTarget.checked, event.shiftKey)}
                    />
                  </span>
                )}
                {columns.map(({ key: column, cell, title }, at) => (
                  <span key={column} role="gridcell" data-title={title} class={classes[at]}>
                    {cell(row)}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
        {children}
      </div>
    </div>
  );
}

const classOf = ({ isMinor, isNumber }: LongColumn<never>): string | undefined =>
  [isMinor && 'minor', isNumber && 'number'].filter(Boolean).join(' ') || undefined;

const isControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('a, button, input, select, .long-choice, .menu') !== null;
