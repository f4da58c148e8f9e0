// The time range of the charts and their refresh interval.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { Actions, Button, IconButton } from '../components/button.tsx';
import { Labelled, Select } from '../components/field.tsx';
import { isFollowing, ranges } from './time-range.ts';
import type { CustomRange, TimeSelection } from './time-selection.ts';
import { chooseZone, zone, zoneOptions } from './time-zone.ts';

const pauses: readonly [seconds: string, title: string][] = [
  ['0', 'Off'],
  ['5', '5 seconds'],
  ['15', '15 seconds'],
  ['60', '1 minute'],
  ['300', '5 minutes'],
];
const usualPause = '15';
const custom = 'custom';
const rangeOptions: [string, string][] = [
  ...ranges.map(([lastS, title]): [string, string] => [String(lastS), title]),
  [custom, 'Custom'],
];

export interface TimeBarProps {
  time: TimeSelection;
  pause?: string; // initial refresh interval in seconds; 0: none
  onRefresh(): void;
}

export function TimeBar({ time, pause: first = usualPause, onRefresh }: TimeBarProps) {
  const pause = useSignal(first);
  const range = time.range.value;
  const zones = useMemo(zoneOptions, []);
  useLayoutEffect(() => {
    const seconds = Number(pause.value);
    if (seconds === 0) return;
    // A hidden page is not refreshed.
    const refresh = (): void => {
      if (!document.hidden && isFollowing(time.range.value)) onRefresh();
    };
    const timer = setInterval(refresh, seconds * 1000);
    return () => clearInterval(timer);
  }, [pause.value]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be laid out like the fields next to it
    <div class="time-bar" role="group" aria-label="Time range">
      <Select
        title="Time"
        value={time.custom.value === undefined && isFollowing(range) ? String(range.lastS) : custom}
        options={rangeOptions}
        onChange={(value) => (value === custom ? time.openCustom() : time.select({ lastS: Number(value) }))}
      />
      <Select title="Refresh every" value={pause.value} options={pauses} onChange={(value) => (pause.value = value)} />
      <Select
        title="Time zone"
        value={zone.value}
        options={zones}
        onChange={(name) => time.changeZone(() => chooseZone(name))}
      />
      <Actions>
        <IconButton icon="earlier" label="Earlier" onPress={() => time.move(-1)} />
        <IconButton icon="later" label="Later" onPress={() => time.move(1)} />
        <IconButton icon="widen" label="Zoom out" onPress={() => time.widen()} />
        <IconButton
          icon="restore"
          label="Back"
          disabled={time.earlier.value.length === 0}
          onPress={() => time.back()}
        />
        <IconButton icon="refresh" label="Refresh" onPress={onRefresh} />
      </Actions>
      <CustomFields time={time} />
    </div>
  );
}

// A separate component, so that a refresh does not reset a field that is being edited.
function CustomFields({ time }: { time: TimeSelection }) {
  const range = time.custom.value;
  if (!range) return null;
  const field = (title: string, name: keyof CustomRange) => (
    <Labelled title={title}>
      {(id) => (
        <input
          id={id}
          type="datetime-local"
          step={1}
          value={range[name]}
          onInput={({ currentTarget }) => {
            time.custom.value = { ...range, [name]: currentTarget.value };
          }}
        />
      )}
    </Labelled>
  );
  return (
    <div class="custom">
      {field('From', 'from')}
      {field('To', 'to')}
      <Button text="Show" onPress={() => time.selectCustom()} />
      <p class="problem" aria-live="polite">
        {time.problem}
      </p>
    </div>
  );
}
