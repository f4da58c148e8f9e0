// Alert rules and notification channels of a region. States change by themselves, so the page looks again from time to
// time; it is drawn anew only where something is different, and the focus stays where it was.
import { button, element } from '../dom.ts';
import { loaded } from '../parts/states.ts';
import { perform, toast } from '../parts/toast.ts';
import type { Visit } from '../router.ts';
import { type Channel, type FileRule, listChannels, listFileRules, listRules, type Rule } from './alert-calls.ts';
import { nowOf } from './asking.ts';
import { channelsSection } from './channels-section.ts';
import { regionFrame } from './region-frame.ts';
import { rulesSection } from './rules-section.ts';
import { type Source, type Sources, sourcesOf } from './sources.ts';

interface Known {
  sources: Sources;
  rules: Rule[];
  fileRules: FileRule[];
  channels: Channel[];
  nowMs: number;
}

const everyMs = 10_000;
const mostLooked = 100; // of the pipelines whose rule files are shown

export const alertsPage = (visit: Visit): Promise<Node> =>
  regionFrame(visit, '/alerts', (region) => {
    const { signal } = visit;
    let shown = '';
    let drawn: HTMLElement | undefined;
    let next: Known | undefined;
    const list = loaded({
      what: 'the alerts',
      signal,
      async fetch() {
        const known = next ?? (await know(region, signal));
        next = undefined;
        return known;
      },
      draw(known) {
        const view = contentOf(region, known, signal, onChange);
        if (drawn) moveFocus(drawn, view);
        shown = textOf(known);
        drawn = view;
        return view;
      },
    });
    const onChange = (text: string): void => {
      toast(text);
      perform(list.reload);
    };
    const look = async (): Promise<void> => {
      try {
        next = await know(region, signal);
      } catch {
        shown = ''; // the failure is told in place of the list, by the call that follows
      }
      if (next === undefined || textOf(next) !== shown) await list.reload();
    };
    const timer = setInterval(() => !document.hidden && noDialog() && perform(look), everyMs);
    signal.addEventListener('abort', () => clearInterval(timer));
    return [
      element(
        'div',
        { class: 'bar' },
        element('p', {}, 'Rules are evaluated once a minute.'),
        button('Refresh', () => perform(list.reload), { look: 'plain' }),
      ),
      list.view,
    ];
  });

// What can be seen of it: times are told by the minute.
const textOf = ({ nowMs, ...rest }: Known): string => JSON.stringify([rest, Math.floor(nowMs / 60_000)]);

const noDialog = (): boolean => document.querySelector('dialog[open]') === null;

async function know(region: string, signal: AbortSignal): Promise<Known> {
  const sources = await sourcesOf(region, signal);
  const first = sources.all[0] as Source;
  const [rules, channels, nowS, ...files] = await Promise.all([
    listRules(region, signal),
    listChannels(region, signal),
    nowOf(first, signal),
    ...sources.all.slice(0, mostLooked).map((source) => listFileRules(source, signal)),
  ]);
  return { sources, rules, channels, fileRules: files.flat(), nowMs: nowS * 1000 };
}

const contentOf = (
  region: string,
  { sources, rules, fileRules, channels, nowMs }: Known,
  signal: AbortSignal,
  onChange: (text: string) => void,
): HTMLElement =>
  element(
    'div',
    { class: 'alerting' },
    rulesSection({ sources, rules, fileRules, channels, nowMs, signal, onChange }),
    channelsSection({ region, channels, onChange }),
  );

// To what has the same name in the new view, once it is in the page.
function moveFocus(from: HTMLElement, to: HTMLElement): void {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLElement) || !from.contains(activeElement)) return;
  const nameOf = (one: Element): string => one.getAttribute('aria-label') ?? one.textContent ?? '';
  const name = nameOf(activeElement);
  queueMicrotask(() => {
    const twin = [...to.querySelectorAll<HTMLElement>('button, a')].find((one) => nameOf(one) === name);
    twin?.focus();
  });
}
