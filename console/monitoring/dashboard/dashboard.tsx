// The shown dashboard: its panels, with buttons to edit, move and remove them.
import type { ReadonlySignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { Section } from '../../components/text.tsx';
import { perform } from '../../components/toast.tsx';
import type { Span } from '../../time/time-range.ts';
import { type PanelProps, Panel as PlotPanel, ViewToggle } from '../plot/panel.tsx';
import { DashboardBar, type DashboardBarProps } from './dashboard-bar.tsx';
import { firstName, type Panel } from './dashboard-model.ts';

export interface DashboardProps extends DashboardBarProps, Pick<PanelProps, 'thresholdsOf' | 'onZoom'> {
  span: ReadonlySignal<Span | undefined>;
  onEdit(panel: Panel): void;
}

export function Dashboard(props: DashboardProps) {
  const { model, sources, chosen } = props;
  const tiles = useRef<HTMLDivElement>(null);
  const isEmpty = model.panels.value.length === 0;
  return (
    <Section
      title={model.shown.value?.properties.name ?? firstName}
      actions={<DashboardBar model={model} sources={sources} chosen={chosen} />}
      {...(isEmpty && { lead: 'There are no panels yet. Explore a metric, and add it to the dashboard.' })}
    >
      <div class="tiles" ref={tiles} tabIndex={-1}>
        {model.panels.value.map((panel) => (
          <Tile key={panel.id} {...props} panel={panel} onRemoved={() => tiles.current?.focus()} />
        ))}
      </div>
    </Section>
  );
}

function Tile(props: DashboardProps & { panel: Panel; onRemoved(): void }) {
  const { panel, model, sources, span, thresholdsOf, onZoom, onEdit, onRemoved } = props;
  const { id, settings } = panel;
  const { title } = settings;
  const headingId = useId();
  const source = sources.all.find((one) => one.id === settings.source);
  const remove = (): void =>
    confirm({
      title: 'Remove this panel?',
      text: `The dashboard no longer shows ${title}. Its metrics stay.`,
      action: 'Remove',
      act: () => model.remove(id),
      onDone: onRemoved,
    });
  const move = (by: -1 | 1) => async (): Promise<void> => {
    const focused = document.activeElement;
    await model.move(id, by);
    // Moving an element in the page removes its focus.
    queueMicrotask(() => focused instanceof HTMLElement && focused.focus());
  };
  const actions: [text: string, label: string, press: () => void][] = [
    ['Edit', `Edit ${title}`, () => onEdit(panel)],
    ['↑', `Move forward: ${title}`, () => perform(move(-1))],
    ['↓', `Move back: ${title}`, () => perform(move(1))],
    ['Remove', `Remove ${title}`, remove],
  ];
  return (
    <article class="panel tile" aria-labelledby={headingId}>
      <div class="bar">
        <h3 id={headingId}>{title}</h3>
        <ViewToggle isTable={settings.isTable} onToggle={(isTable) => perform(() => model.change(id, { isTable }))} />
        {actions.map(([text, label, press]) => (
          <Button text={text} key={text} look="plain" label={label} onPress={press} />
        ))}
      </div>
      <p class="from">{source?.name}</p>
      <PlotPanel settings={settings} source={source} span={span.value} thresholdsOf={thresholdsOf} onZoom={onZoom} />
    </article>
  );
}
