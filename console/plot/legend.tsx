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

// One row of names with values, for panels with little space.
export function CompactLegend({ plot, unit, hidden, cursor, onLook }: LegendProps) {
  const at = cursor?.value;
  return (
    <ul class="compact-legend">
      {plot.lines.map((line, number) => {
        const value = at === undefined ? line.last : line.values[at];
        return (
          <li
            key={number}
            onMouseEnter={() => onLook?.(number)}
            onMouseLeave={() => onLook?.(undefined)}
            onFocusIn={() => onLook?.(number)}
            onFocusOut={() => onLook?.(undefined)}
          >
            <SeriesButton line={line} number={number} hidden={hidden} />
            <span class="compact-value">{value === undefined || value === null ? '–' : formatValue(value, unit)}</span>
          </li>
        );
      })}
    </ul>
  );
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
  const isNear = useComputed(() => nearest?.value === number).value;
  const at = cursor?.value;
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
        <SeriesButton line={line} number={number} hidden={hidden} />
      </Cell>
      <Numbers line={line} unit={unit} value={at === undefined ? line.last : line.values[at]} />
    </tr>
  );
}

function SeriesButton({ line, number, hidden }: Pick<RowProps, 'line' | 'number' | 'hidden'>) {
  const toggle = (): void => {
    const names = new Set(hidden.value);
    if (!names.delete(line.name)) names.add(line.name);
    hidden.value = names;
  };
  return (
    <button
      type="button"
      class="plain series"
      title={line.full}
      aria-pressed={!hidden.value.has(line.name)}
      onClick={toggle}
    >
      <span class={`swatch line-${number % colours}`} aria-hidden="true" />
      <span class="series-name">{line.name}</span>
    </button>
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
