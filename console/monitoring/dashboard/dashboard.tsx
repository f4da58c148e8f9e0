// The dashboard: a user's panels, and the ways to edit, move, remove, export and import them.
import type { ReadonlySignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { Actions, Button } from '../../components/button.tsx';
import { downloadText } from '../../components/clipboard.ts';
import { confirm } from '../../components/confirm.tsx';
import { Section } from '../../components/text.tsx';
import { perform, toast } from '../../components/toast.tsx';
import { type PanelProps, Panel as PlotPanel, ViewToggle } from '../plot/panel.tsx';
import type { Span } from '../plot/time-range.ts';
import type { Sources } from '../sources.ts';
import type { DashboardModel, Panel } from './dashboard-model.ts';

export interface DashboardProps extends Pick<PanelProps, 'thresholdsOf' | 'onZoom'> {
  model: DashboardModel;
  sources: Sources;
  chosen: string; // the source for panels of a file whose own is not here
  span: ReadonlySignal<Span | undefined>;
  onEdit(panel: Panel): void;
}

export function Dashboard(props: DashboardProps) {
  const { model, sources, chosen } = props;
  const fileId = useId();
  const file = useRef<HTMLInputElement>(null);
  const exporter = useRef<HTMLButtonElement>(null);
  const isEmpty = model.panels.value.length === 0;
  const save = (): void => downloadText(`cumulet-dashboard-${sources.region}.json`, model.text);
  const load = async (from: File | undefined): Promise<void> => {
    const isKnown = (source: string): boolean => sources.all.some(({ id }) => id === source);
    if (from) toast(model.importText(await from.text(), isKnown, chosen));
  };
  const actions = (
    <Actions>
      <Button
        text="Export"
        ref={exporter}
        look="plain"
        label="Export the dashboard as a file"
        disabled={isEmpty}
        onPress={save}
      />
      <Button text="Import" look="plain" label="Import panels from a file" onPress={() => file.current?.click()} />
      <label class="unseen" for={fileId}>
        A file with panels
      </label>
      <input
        id={fileId}
        ref={file}
        class="unseen"
        type="file"
        accept=".json,application/json"
        tabIndex={-1}
        onChange={({ currentTarget }) => {
          const [chosenFile] = currentTarget.files ?? [];
          perform(() => load(chosenFile));
          currentTarget.value = '';
        }}
      />
    </Actions>
  );
  const lead = isEmpty
    ? 'There are no panels yet: add what you explore. They are kept in this browser.'
    : 'Kept in this browser for you, this contract and this region.';
  return (
    <Section title="Dashboard" actions={actions} lead={lead}>
      <div class="tiles">
        {model.panels.value.map((panel) => (
          <Tile key={panel.id} {...props} panel={panel} onRemoved={() => exporter.current?.focus()} />
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
      text: `${title} goes from the dashboard. Its metrics stay.`,
      action: 'Remove',
      act: async () => model.remove(id),
      onDone: onRemoved,
    });
  const move = (by: -1 | 1) => async (): Promise<void> => {
    const focused = document.activeElement;
    model.move(id, by);
    // An element that is moved loses the focus.
    queueMicrotask(() => focused instanceof HTMLElement && focused.focus());
  };
  const toggle = async (isTable: boolean): Promise<void> => model.replace(id, { ...settings, isTable });
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
        <ViewToggle isTable={settings.isTable} onToggle={(isTable) => perform(() => toggle(isTable))} />
        {actions.map(([text, label, press]) => (
          <Button text={text} key={text} look="plain" label={label} onPress={press} />
        ))}
      </div>
      <p class="from">{source?.name}</p>
      <PlotPanel settings={settings} source={source} span={span.value} thresholdsOf={thresholdsOf} onZoom={onZoom} />
    </article>
  );
}
