// The lines of a plot as a table. Below a chart it shows the values at the cursor; a press toggles a line, and the
// mouse or the focus highlights it. With `isTable` it replaces the chart and shows all labels.
// biome-ignore-all lint/a11y/noRedundantRoles: browsers drop the roles of a table with its display
import { type ReadonlySignal, type Signal, useComputed } from '@preact/signals';
import { timeText } from '../time/time-range.ts';
import { colours, type Line, type Plot } from './plot.ts';
import { formatValue, type Unit } from './units.ts';

export interface LegendProps {
  plot: Plot;
  unit: Unit;
  isTable?: boolean;
  hidden: Signal<ReadonlySet<string>>; // names of lines
  cursor?: ReadonlySignal<number | undefined>; // an index in the time grid; none: the last values
  nearest?: ReadonlySignal<number | undefined>; // the index of a line
  onLook?(line: number | undefined): void;
}

export function Legend(props: LegendProps) {
  const { plot, unit, isTable = false, cursor } = props;
  const at = cursor?.value;
  const time = at === undefined ? undefined : plot.times[at];
  const titles = ['Series', isTable ? 'Last' : 'Value', 'Min', 'Mean', 'Max', ...(isTable ? ['At'] : [])];
  return (
    <div class={isTable ? 'legend whole' : 'legend'}>
      {!isTable && <p class="when">{time === undefined ? 'Last values' : timeText(time)}</p>}
      <table role="table" class="lines">
        <caption class="unseen">Series and their values</caption>
        <thead role="rowgroup">
          <tr role="row">
            {titles.map((title) => (
              <th key={title} scope="col" role="columnheader">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {plot.lines.map((line, number) =>
            isTable ? (
              <tr key={number} role="row">
                <Cell>{<span class="name">{line.full}</span>}</Cell>
                <Numbers line={line} unit={unit} value={line.last} />
                <Cell>{line.last === undefined ? '–' : timeText(line.lastS)}</Cell>
              </tr>
            ) : (
              <Row key={number} {...props} line={line} number={number} />
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps extends LegendProps {
  line: Line;
  number: number;
}

function Row({ line, number, unit, hidden, cursor, nearest, onLook }: RowProps) {
  const isHidden = hidden.value.has(line.name);
  const isNear = useComputed(() => nearest?.value === number).value;
  const at = cursor?.value;
  const toggle = (): void => {
    const names = new Set(hidden.value);
    if (!names.delete(line.name)) names.add(line.name);
    hidden.value = names;
  };
  const look = (): void => onLook?.(number);
  const leave = (): void => onLook?.(undefined);
  return (
    <tr
      role="row"
      class={isNear ? 'near' : undefined}
      onMouseEnter={look}
      onMouseLeave={leave}
      onFocusIn={look}
      onFocusOut={leave}
    >
      <Cell>
        <button type="button" class="plain series" title={line.full} aria-pressed={!isHidden} onClick={toggle}>
          <span class={`swatch line-${number % colours}`} aria-hidden="true" />
          {line.name}
        </button>
      </Cell>
      <Numbers line={line} unit={unit} value={at === undefined ? line.last : line.values[at]} />
    </tr>
  );
}

const Cell = ({ children }: { children: preact.ComponentChildren }) => <td role="cell">{children}</td>;

const Numbers = ({ line, unit, value }: { line: Line; unit: Unit; value: number | null | undefined }) => (
  <>
    <Cell>{value === undefined || value === null ? '–' : formatValue(value, unit)}</Cell>
    {[line.least, line.mean, line.most].map((one, at) => (
      <Cell key={at}>{Number.isFinite(one) ? formatValue(one, unit) : '–'}</Cell>
    ))}
  </>
);
