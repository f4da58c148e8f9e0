// The shown dashboard: its variables, and its panels in a grid.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Section } from '../../components/text.tsx';
import { VariableBar, type VariableBarProps } from '../variables/variable-bar.tsx';
import { DashboardBar, type DashboardBarProps, TemplateChoice } from './dashboard-bar.tsx';
import { firstName } from './dashboard-model.ts';
import { Tile, type TileProps } from './tile.tsx';

export interface DashboardProps extends DashboardBarProps, TileProps {
  variables: VariableBarProps['states'];
  onSelect: VariableBarProps['onSelect'];
}

export function Dashboard({ variables, onSelect, ...props }: DashboardProps) {
  const { model, sources, chosen } = props;
  const { layout } = model;
  const tiles = useRef<HTMLDivElement>(null);
  // The explorer would stay in view when panels appear above it.
  const created = model.created.value;
  useLayoutEffect(() => {
    if (created > 0) tiles.current?.scrollIntoView({ block: 'start' });
  }, [created]);
  const isEmpty = model.panels.value.length === 0;
  return (
    <Section
      title={model.shown.value?.properties.name ?? firstName}
      actions={<DashboardBar model={model} sources={sources} chosen={chosen} />}
      {...(isEmpty && {
        lead: 'There are no panels yet. Use a template, or explore a metric and add it to the dashboard.',
      })}
    >
      {isEmpty && <TemplateChoice model={model} sources={sources} chosen={chosen} />}
      <VariableBar states={variables} onSelect={onSelect} />
      <div class={layout.moving.value ? 'tiles arranging' : 'tiles'} ref={tiles} tabIndex={-1}>
        {layout.shown.value.map((placed) => (
          <Tile key={placed.panel.id} {...props} placed={placed} onRemoved={() => tiles.current?.focus()} />
        ))}
      </div>
      <p class="unseen" aria-live="assertive">
        {layout.said}
      </p>
    </Section>
  );
}
