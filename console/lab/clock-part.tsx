// The region's clock: its time, and the buttons that move it forward. It can't be moved back.
import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { aheadText } from '../clock-ahead.ts';
import { Button } from '../components/button.tsx';
import { CommandLine } from '../components/command-line.tsx';
import { Labelled } from '../components/field.tsx';
import { Failure } from '../components/states.tsx';
import { Section } from '../components/text.tsx';
import { toast } from '../components/toast.tsx';
import { regionClock, regionNowMs, setRegionClock } from '../region-clock.ts';
import { advanceClockCommand } from '../resources/client-commands/page-commands.ts';
import { advanceClock } from './lab-api.ts';
import { jumps, jumpTo, localText } from './lab-model.ts';

const shown = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium', hourCycle: 'h23' });
const tickMs = 1000;
const dayMs = 86_400_000;

export function ClockPart() {
  const now = useSignal(regionNowMs());
  const target = useSignal(localText(regionNowMs() + dayMs));
  const problem = useSignal('');
  const failure = useSignal<unknown>(undefined);
  const isMoving = useSignal(false);
  useLayoutEffect(() => {
    const timer = setInterval(() => {
      now.value = regionNowMs();
    }, tickMs);
    return () => clearInterval(timer);
  }, []);
  const move = async (ms: number): Promise<void> => {
    if (isMoving.value) return;
    isMoving.value = true;
    failure.value = undefined;
    try {
      setRegionClock(await advanceClock(ms));
      now.value = regionNowMs();
      target.value = localText(now.value + dayMs);
      toast(`Clock moved by ${aheadText(ms)}.`);
    } catch (error) {
      failure.value = error;
    }
    isMoving.value = false;
  };
  const goTo = (event: Event): void => {
    event.preventDefault();
    const ms = jumpTo(target.value, regionNowMs());
    problem.value = typeof ms === 'string' ? ms : '';
    if (typeof ms === 'number') void move(ms);
  };
  const { offsetMs = 0 } = regionClock.value ?? {};
  return (
    <Section title="Clock">
      <div class="panel lab-clock">
        <p class="lab-now" aria-live="off">
          <time dateTime={new Date(now.value).toISOString()}>{shown.format(now.value)}</time>
        </p>
        <p class="lab-ahead">
          {offsetMs === 0 ? 'The clock has not been moved.' : `${aheadText(offsetMs)} ahead of this machine`}
        </p>
        <div class="lab-jumps" role="toolbar" aria-label="Move the clock forward">
          {jumps.map(([title, ms]) => (
            <Button
              key={title}
              text={`+ ${title}`}
              look="plain"
              label={`Move the clock forward by ${title}`}
              disabled={isMoving.value}
              onPress={() => void move(ms)}
            />
          ))}
        </div>
        <form class="lab-date" onSubmit={goTo} noValidate>
          <Labelled title="Target date">
            {(id) => (
              <input
                id={id}
                type="datetime-local"
                value={target.value}
                min={localText(now.value)}
                onInput={({ currentTarget }) => {
                  target.value = currentTarget.value;
                  problem.value = '';
                }}
              />
            )}
          </Labelled>
          <button type="submit" class="plain" disabled={isMoving.value}>
            Move
          </button>
          <p class="wrong" role="status">
            {problem.value}
          </p>
        </form>
        {failure.value !== undefined && <Failure title="The clock was not moved." error={failure.value} />}
      </div>
      <p class="lab-note">
        Everything that is due until then happens: schedules run, months are billed, tokens expire, and old data is
        deleted. Console sessions end after an hour without use by this clock, so after a longer jump you have to sign
        in again.
      </p>
      <CommandLine text={advanceClockCommand} />
    </Section>
  );
}
