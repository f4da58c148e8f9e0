// One line: level, time and text. When open, it shows all fields, with buttons to filter by each.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Actions, Button } from '../../components/button.tsx';
import { Copyable } from '../../components/secret-dialog.tsx';
import { FilterButtons } from '../fields/fields-panel.tsx';
import type { Filter, Origin } from '../query/filter.ts';
import type { Word } from '../query/search.ts';
import { type Level, levelOf } from './level.ts';
import { clockText, dayText, exactTime, type LogLine } from './log-line.ts';
import { fieldsOf, objectIn, type Summary, summaryOf } from './parsed-fields.ts';

export interface LineLook {
  doesWrap: boolean;
  isRaw: boolean; // unformatted
  hasDays: boolean; // the span has several days
  words: readonly Word[]; // to highlight
}

export interface LineRowProps {
  line: LogLine;
  topPx: number;
  look: LineLook;
  isActive: boolean;
  isOpen: boolean;
  observer: ResizeObserver;
  onToggle(): void;
  onFilter(filter: Filter): void;
  onContext(): void;
}

export function LineRow({ line, topPx, look, isActive, isOpen, observer, ...on }: LineRowProps) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const row = place.current as HTMLDivElement;
    observer.observe(row);
    return () => observer.unobserve(row);
  }, []);
  const { level, summary } = readingOf(line);
  const classes = ['logs-row', look.doesWrap && 'wraps', isActive && 'active', isOpen && 'open'];
  return (
    <div class={classes.filter(Boolean).join(' ')} ref={place} data-line={line.id} style={{ top: `${topPx}px` }}>
      <button type="button" class="logs-line" tabIndex={-1} aria-expanded={isOpen} onClick={on.onToggle}>
        <span class={`logs-level logs-${level}`} title={level}>
          <span class="unseen">{level}</span>
        </span>
        <time dateTime={exactTime(line.timeNs)}>
          {look.hasDays && `${dayText(line.timeNs)} `}
          {clockText(line.timeNs)}
        </time>
        <LineText line={line} summary={summary} look={look} />
      </button>
      {isOpen && <Details line={line} onFilter={on.onFilter} onContext={on.onContext} />}
    </div>
  );
}

interface Reading {
  level: Level;
  summary: Summary;
}

const readings = new WeakMap<LogLine, Reading>();

// Caches the parsed line, because lines scroll into view repeatedly.
function readingOf(line: LogLine): Reading {
  const known = readings.get(line);
  if (known) return known;
  const reading = { level: levelOf(line), summary: summaryOf(line.text) };
  readings.set(line, reading);
  return reading;
}

const mostShown = 4000; // characters of a closed line

export interface LineTextProps {
  line: LogLine;
  summary: Summary;
  look: Pick<LineLook, 'isRaw' | 'words'>;
}

export function LineText({ line, summary, look }: LineTextProps) {
  const { message, rest } = look.isRaw ? { message: line.text, rest: [] } : summary;
  return (
    <bdi class="logs-text">
      <Marked text={message.slice(0, mostShown)} words={look.words} />
      {rest.slice(0, 20).map(([name, value]) => (
        <span key={name} class="logs-pair">
          {' '}
          {name}=<Marked text={value.slice(0, 200)} words={look.words} />
        </span>
      ))}
    </bdi>
  );
}

function Marked({ text, words }: { text: string; words: readonly Word[] }) {
  const wanted = words.filter(({ isExcluded }) => !isExcluded).map((word) => word.text);
  if (wanted.length === 0) return <>{text}</>;
  const pattern = new RegExp(`(${wanted.map((word) => word.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')).join('|')})`, 'giu');
  return <>{text.split(pattern).map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}</>;
}

function Details({ line, onFilter, onContext }: Pick<LineRowProps, 'line' | 'onFilter' | 'onContext'>) {
  const { origin, fields } = fieldsOf(line.text);
  const value = objectIn(line.text);
  const groups: [title: string, origin: Origin, pairs: readonly (readonly [string, string])[]][] = [
    ['Labels', 'label', Object.entries(line.labels)],
    ['Metadata', 'metadata', Object.entries(line.metadata)],
    ['Fields', origin ?? 'json', fields],
  ];
  return (
    <div class="logs-details">
      <Actions>
        <Button text="Surrounding lines" look="plain" onPress={onContext} />
      </Actions>
      <dl class="logs-pairs">
        <dt>Time</dt>
        <dd>{exactTime(line.timeNs)}</dd>
      </dl>
      {groups.map(([title, from, pairs]) => (
        <Pairs key={title} title={title} origin={from} pairs={pairs} onFilter={onFilter} />
      ))}
      <Copyable title="Line" text={value ? JSON.stringify(value, undefined, 2) : line.text} />
    </div>
  );
}

interface PairsProps {
  title: string;
  origin: Origin;
  pairs: readonly (readonly [string, string])[];
  onFilter(filter: Filter): void;
}

const Pairs = ({ title, origin, pairs, onFilter }: PairsProps) =>
  pairs.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <dl class="logs-pairs">
        {pairs.map(([name, value]) => (
          <>
            <dt key={`${name} name`}>{name}</dt>
            <dd key={name}>
              <FilterButtons
                name={name}
                value={value}
                onFilter={(isExcluded) => onFilter({ name, origin, value, isExcluded })}
              />
              <bdi>{value}</bdi>
            </dd>
          </>
        ))}
      </dl>
    </>
  );
