// The lines, newest first, in a scrolling box. Only visible lines are drawn, and older ones are loaded near the end.
// Rows are measured when drawn, because wrapped and opened ones are higher.
import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Filter } from '../query/filter.ts';
import { type LineLook, LineRow } from './line-row.tsx';
import { type LinesModel, mostKept } from './lines-model.ts';
import type { LogLine } from './log-line.ts';
import { RowLayout } from './row-layout.ts';

export interface LineListProps {
  model: LinesModel;
  look: LineLook;
  active: Signal<string | undefined>; // the key of the line that keyboard shortcuts act on
  opened: Signal<ReadonlySet<string>>; // keys of the opened lines
  onFilter(filter: Filter): void;
  onContext(line: LogLine): void;
}

const plainPx = 24; // as in lines.css
const moreRows = 8;
const nearEndPx = 600;

export function LineList({ model, look, active, opened, onFilter, onContext }: LineListProps) {
  const box = useRef<HTMLElement>(null);
  const topPx = useSignal(0);
  const heightPx = useSignal(600);
  const measured = useMemo(() => new Map<number, number>(), []);
  const measurements = useSignal(0);
  const lines = model.lines.value;
  const layout = useComputed(() => {
    measurements.value;
    return new RowLayout(
      model.lines.value.map(({ id }) => id),
      plainPx,
      measured,
    );
  }).value;
  const [from, to] = layout.visible(topPx.value, heightPx.value, moreRows);

  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        let isChanged = false;
        for (const { target, borderBoxSize } of entries) {
          const id = Number((target as HTMLElement).dataset.line);
          const height = borderBoxSize[0]?.blockSize ?? plainPx;
          if (height === 0 || Math.abs((measured.get(id) ?? plainPx) - height) < 0.5) continue;
          measured.set(id, height);
          isChanged = true;
        }
        if (isChanged) measurements.value += 1;
      }),
    [],
  );
  useLayoutEffect(() => {
    const place = box.current as HTMLElement;
    const sizes = new ResizeObserver(() => {
      heightPx.value = place.clientHeight;
    });
    sizes.observe(place);
    return () => {
      sizes.disconnect();
      observer.disconnect();
    };
  }, []);
  // Rows change their heights with the width of the text.
  useLayoutEffect(() => {
    measured.clear();
    measurements.value += 1;
  }, [look.doesWrap, look.isRaw]);
  useKeptPlace(box, lines, layout);
  useActiveInSight(box, lines, layout, active);

  const onScroll = (): void => {
    const { scrollTop, clientHeight, scrollHeight } = box.current as HTMLElement;
    topPx.value = scrollTop;
    if (scrollTop + clientHeight > scrollHeight - nearEndPx) void model.loadOlder();
  };
  const toggle = (line: LogLine): void => {
    active.value = line.key;
    const keys = new Set(opened.value);
    if (!keys.delete(line.key)) keys.add(line.key);
    opened.value = keys;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys must reach a box that scrolls
    <section class="logs-lines" ref={box} tabIndex={0} aria-label="Lines, newest first" onScroll={onScroll}>
      <div class="logs-rows" style={{ height: `${layout.totalPx}px` }}>
        {lines.slice(from, to).map((line, at) => (
          <LineRow
            key={line.id}
            line={line}
            topPx={layout.topOf(from + at)}
            look={look}
            isActive={active.value === line.key}
            isOpen={opened.value.has(line.key)}
            observer={observer}
            onToggle={() => toggle(line)}
            onFilter={onFilter}
            onContext={() => onContext(line)}
          />
        ))}
      </div>
      <p class="logs-end" role="status">
        {endText(model)}
      </p>
    </section>
  );
}

function endText(model: LinesModel): string {
  if (model.isExtending.value) return 'Getting older lines …';
  if (model.lines.value.length >= mostKept)
    return 'Older lines are not shown. Choose a shorter time, or add words to the search.';
  return model.isWhole.value && model.lines.value.length > 0 ? 'No older lines in this time.' : ' ';
}

// New lines above must not move the lines that the user is reading.
function useKeptPlace(box: { current: HTMLElement | null }, lines: readonly LogLine[], layout: RowLayout): void {
  const before = useRef<{ first: string | undefined }>({ first: undefined });
  useLayoutEffect(() => {
    const place = box.current;
    const { first } = before.current;
    before.current = { first: lines[0]?.key };
    if (!place || first === undefined || place.scrollTop < plainPx) return;
    const at = lines.findIndex(({ key }) => key === first);
    if (at > 0) place.scrollTop += layout.topOf(at);
    else if (at < 0) place.scrollTop = 0; // another search
  }, [lines]);
}

function useActiveInSight(
  box: { current: HTMLElement | null },
  lines: readonly LogLine[],
  layout: RowLayout,
  active: Signal<string | undefined>,
): void {
  const key = active.value;
  useLayoutEffect(() => {
    const [place, at] = [box.current, lines.findIndex((line) => line.key === key)];
    if (!place || at < 0) return;
    const [top, bottom] = [layout.topOf(at), layout.topOf(at + 1)];
    if (top < place.scrollTop) place.scrollTop = top;
    else if (bottom > place.scrollTop + place.clientHeight)
      place.scrollTop = Math.min(top, bottom - place.clientHeight);
  }, [key]);
}
