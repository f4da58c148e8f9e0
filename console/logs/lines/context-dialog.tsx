// The lines before and after one line of the same stream, independent of the search.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Actions, Button } from '../../components/button.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { useAbortSignal } from '../../components/resource.ts';
import { perform } from '../../components/toast.tsx';
import { askRange } from '../loki.ts';
import type { LogSource } from '../sources.ts';
import { levelOf } from './level.ts';
import { LineText } from './line-row.tsx';
import { clockText, exactTime, type LogLine, later, linesOf, streamSelector } from './log-line.ts';

const asSent = { isRaw: true, words: [] };
const step = 10;
const farNs = 86_400_000_000_000n; // a day on both sides

export function openContext(source: LogSource, line: LogLine): void {
  openDialog((close) => (
    <Dialog title="Surrounding lines" close={close}>
      <Context source={source} line={line} />
      <Actions>
        <Button text="Close" look="plain" onPress={close} />
      </Actions>
    </Dialog>
  ));
}

function Context({ source, line }: { source: LogSource; line: LogLine }) {
  const signal = useAbortSignal();
  const newer = useSignal<readonly LogLine[]>([]);
  const older = useSignal<readonly LogLine[]>([]);
  const ends = useSignal({ newer: false, older: false });
  const here = useRef<HTMLLIElement>(null);
  const extend = async (side: 'newer' | 'older'): Promise<void> => {
    const shown = side === 'newer' ? newer : older;
    const limit = shown.value.length + step + 1;
    const times =
      side === 'newer'
        ? { startNs: line.timeNs, endNs: later(line.timeNs, farNs), direction: 'forward' as const }
        : { startNs: later(line.timeNs, -farNs), endNs: later(line.timeNs, 1n), direction: 'backward' as const };
    const answer = await askRange(source, { query: streamSelector(line), ...times, limit }, signal);
    const found = answer.resultType === 'streams' ? linesOf(answer.result) : [];
    shown.value = found.filter(({ key }) => key !== line.key);
    ends.value = { ...ends.value, [side]: found.length < limit };
  };
  useLayoutEffect(() => {
    perform(async () => {
      await Promise.all([extend('newer'), extend('older')]);
      here.current?.scrollIntoView({ block: 'center' });
    });
  }, []);
  const more = (side: 'newer' | 'older', text: string) => (
    <Button text={text} look="plain" disabled={ends.value[side]} onPress={() => perform(() => extend(side))} />
  );
  return (
    <>
      <p class="logs-note">{streamSelector(line)}, newest first</p>
      <Actions>{more('newer', 'Later lines')}</Actions>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keys */}
      <ol class="logs-context" tabIndex={0} aria-label="Surrounding lines">
        {[...newer.value, line, ...older.value].map((one) => (
          <li key={one.key} {...(one === line && { ref: here })} class={one === line ? 'here' : undefined}>
            <span class={`logs-level logs-${levelOf(one)}`} />
            <time dateTime={exactTime(one.timeNs)}>{clockText(one.timeNs)}</time>
            <LineText line={one} summary={{ message: one.text, rest: [] }} look={asSent} />
          </li>
        ))}
      </ol>
      <Actions>{more('older', 'Earlier lines')}</Actions>
    </>
  );
}
