// A panel in the grid of the dashboard: its head with the menu, its content, and handles to move and resize it.
import type { ReadonlySignal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { confirm } from '../../components/confirm.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { Menu, type MenuEntry } from '../../components/menu.tsx';
import { perform, toast } from '../../components/toast.tsx';
import type { Span } from '../../time/time-range.ts';
import { ruleRefusal } from '../alerts/alerting-api.ts';
import { LogsPanel } from '../kinds/logs-panel.tsx';
import { type PanelProps, Panel as PlotPanel } from '../plot/panel.tsx';
import { hasQueries, kindOf, type Place } from '../plot/panel-settings.ts';
import { dashboardRefusal } from '../refusal.ts';
import type { Source, Sources } from '../sources.ts';
import type { DashboardModel } from './dashboard-model.ts';
import type { Panel, PlacedPanel } from './layout-model.ts';
import { followDrag } from './tile-drag.ts';

export interface TileProps extends Pick<PanelProps, 'thresholdsOf' | 'onZoom'> {
  model: DashboardModel;
  sources: Sources;
  span: ReadonlySignal<Span | undefined>;
  resolve(source: Source | undefined, text: string, span: Span | undefined, stepS?: number): string;
  onEdit(panel: Panel): void;
  onExplore(panel: Panel): void;
  onAlert(panel: Panel): void;
}

export function Tile(props: TileProps & { placed: PlacedPanel; onRemoved(): void }) {
  const { model, placed, sources, span, resolve } = props;
  const { panel, place } = placed;
  const { layout } = model;
  const headingId = useId();
  const box = useRef<HTMLElement>(null);
  const source = sources.all.find((one) => one.id === panel.settings.source);
  const title = resolve(source, panel.settings.title, span.value);
  const isMoving = layout.moving.value?.id === panel.id;
  const isRow = kindOf(panel.settings) === 'row';
  const drag = (isResizing: boolean) => (event: PointerEvent) => {
    if (box.current) followDrag(event, box.current, layout, panel.id, isResizing);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isMoving || event.target !== event.currentTarget) return;
    if (event.key === 'Enter') perform(() => saved(layout.end()));
    else if (event.key === 'Escape') layout.cancel();
    else if (!layout.step(event.key, event.shiftKey)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  // Moving an element in the page removes its focus.
  const saved = async (ending: Promise<void>): Promise<void> => {
    await ending;
    requestAnimationFrame(() => box.current?.focus());
  };
  const move = (): void => {
    layout.begin(panel.id);
    box.current?.focus();
  };
  const entries = entriesOf(props, title, source, move);
  return (
    <article
      ref={box}
      class={['tile', isRow ? 'row-tile' : 'panel', isMoving && 'moving'].filter(Boolean).join(' ')}
      aria-labelledby={headingId}
      tabIndex={-1}
      style={gridStyle(place)}
      onKeyDown={onKeyDown}
      onBlur={({ target, currentTarget }) => target === currentTarget && isMoving && perform(() => layout.end())}
    >
      <div class="tile-head" onPointerDown={drag(false)}>
        {isRow ? (
          <RowHead panel={panel} title={title} headingId={headingId} model={model} />
        ) : (
          <h3 id={headingId} title={source ? `${title} – ${source.name}` : title}>
            {title}
          </h3>
        )}
        <Menu title={`Menu of ${title || 'the panel'}`} entries={entries} isCompact />
      </div>
      {!isRow && <Content {...props} panel={panel} source={source} isCompact />}
      {!isRow && <span class="tile-corner" onPointerDown={drag(true)} />}
    </article>
  );
}

// In half columns, and as variables, so that a narrow window can use another layout.
const gridStyle = ({ x, y, width, height }: Place): Record<string, string> => ({
  '--column': `${2 * x + 1} / span ${2 * width}`,
  '--row': `${y + 1}`,
  '--height': `${height}`,
});

interface RowHeadProps extends Pick<TileProps, 'model'> {
  panel: Panel;
  title: string;
  headingId: string;
}

function RowHead({ panel: { id }, title, headingId, model: { layout } }: RowHeadProps) {
  const isOpen = !layout.collapsed.value.has(id);
  return (
    <h3 id={headingId}>
      <button type="button" class="plain row-toggle" aria-expanded={isOpen} onClick={() => layout.toggleRow(id)}>
        <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> {title}
      </button>
    </h3>
  );
}

type TileEvents = TileProps & { placed: PlacedPanel; onRemoved(): void };

function entriesOf(props: TileEvents, title: string, source: Source | undefined, move: () => void): MenuEntry[] {
  const { model, onEdit, onExplore, onAlert, onRemoved } = props;
  const { panel } = props.placed;
  const { id, settings } = panel;
  const kind = kindOf(settings);
  const isMetric = settings.queries.length > 0 && kind !== 'logs' && source !== undefined;
  const changing = dashboardRefusal(props.sources, model);
  const entry = (key: string, text: string, act: () => void, obstacle?: string): MenuEntry => ({
    key,
    title: text,
    act,
    obstacle,
  });
  const remove = (): void =>
    confirm({
      title: 'Remove this panel?',
      text: `The dashboard no longer shows ${title || 'this panel'}. Its metrics stay.`,
      action: 'Remove',
      act: () => model.remove(id),
      onDone: onRemoved,
    });
  const duplicate = async (): Promise<void> => {
    await model.duplicate(id);
    toast(`${title} duplicated.`);
  };
  return [
    ...(isMetric && hasQueries(settings) ? [entry('edit', 'Edit', () => onEdit(panel), changing)] : []),
    ...(kind === 'timeseries'
      ? [
          entry(
            'view',
            settings.isTable ? 'As chart' : 'As table',
            () => perform(() => model.change(id, { isTable: !settings.isTable })),
            changing,
          ),
        ]
      : []),
    ...(kind === 'row' ? [] : [entry('full', 'Full screen', () => openFull(props, panel, title, source))]),
    ...(isMetric ? [entry('explore', 'View query in Explore', () => onExplore(panel))] : []),
    ...(isMetric
      ? [entry('alert', 'Create alert', () => onAlert(panel), ruleRefusal(props.sources.region, 'POST'))]
      : []),
    entry('move', 'Move or resize', move, changing),
    entry('duplicate', 'Duplicate', () => perform(duplicate), changing),
    entry('remove', 'Remove', remove, changing),
  ];
}

const openFull = (props: TileProps, panel: Panel, title: string, source: Source | undefined): void =>
  openDialog((close) => (
    <Dialog title={title || 'Panel'} close={close}>
      <div class="full-screen">
        <Content {...props} panel={panel} source={source} />
      </div>
      <button type="button" class="plain" onClick={close}>
        Close
      </button>
    </Dialog>
  ));

interface ContentProps extends TileProps {
  panel: Panel;
  source: Source | undefined;
  isCompact?: boolean;
}

// Only visible panels query their source: a large dashboard has more than a hundred.
function Content({ panel, source, isCompact = false, ...props }: ContentProps) {
  const { settings } = panel;
  const { sources, span, resolve, thresholdsOf, onZoom } = props;
  const box = useRef<HTMLDivElement>(null);
  const isSeen = useSignal(false);
  const seenSpan = useSignal<Span | undefined>(undefined);
  useLayoutEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        isSeen.value = entries.at(-1)?.isIntersecting === true;
      },
      { rootMargin: '200px' },
    );
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const wanted = span.value;
  useLayoutEffect(() => {
    if (isSeen.value) seenSpan.value = wanted;
  }, [wanted, isSeen.value]);
  const kind = kindOf(settings);
  return (
    <div class="tile-content" ref={box}>
      {kind === 'unsupported' && (
        <p class="blank">
          Unsupported panel: <strong>{settings.kind}</strong>
        </p>
      )}
      {kind === 'logs' && (
        <LogsPanel
          region={sources.region}
          source={settings.source}
          queries={settings.queries}
          span={seenSpan.value}
          resolve={(text, shown) => resolve(source, text, shown)}
        />
      )}
      {kind !== 'unsupported' && kind !== 'logs' && (
        <PlotPanel
          settings={settings}
          source={source}
          span={seenSpan.value}
          isCompact={isCompact}
          resolve={(text, shown, stepS) => resolve(source, text, shown, stepS)}
          thresholdsOf={thresholdsOf}
          onZoom={onZoom}
        />
      )}
    </div>
  );
}
