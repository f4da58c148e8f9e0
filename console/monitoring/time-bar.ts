// Which time the charts show, and how often they look again. All of them show the same; the way back leads to what was
// shown before a zoom.
import { button, element, fill, freshId } from '../dom.ts';
import { isFollowing, moved, type Range, ranges, type Span, spanOf, widened } from './time-range.ts';

export interface TimeBar {
  view: HTMLElement;
  readonly range: Range;
  zoom(span: Span): void;
  told(nowS: number): void; // the region's time, each time that it was asked
}

export interface TimeBarOptions {
  range: Range;
  signal: AbortSignal;
  onChange(): void;
}

const pauses: readonly [seconds: number, title: string][] = [
  [0, 'Off'],
  [5, '5 seconds'],
  [15, '15 seconds'],
  [60, '1 minute'],
  [300, '5 minutes'],
];
const usualPause = 15;
const custom = 'custom';

export function timeBar({ range: first, signal, onChange }: TimeBarOptions): TimeBar {
  let range = first;
  let nowS = 0;
  let before: Range[] = [];
  let timer: ReturnType<typeof setInterval> | undefined;

  const choice = select('Time', [
    ...ranges.map(([lastS, title]) => [String(lastS), title] as const),
    [custom, 'Custom'],
  ]);
  const pause = select(
    'Refresh every',
    pauses.map(([seconds, title]) => [String(seconds), title] as const),
  );
  const [from, to] = [timeField('From'), timeField('To')];
  const problem = element('p', { class: 'problem', 'aria-live': 'polite' });
  const own = element(
    'div',
    { class: 'custom', hidden: true },
    from.view,
    to.view,
    button('Show', () => showCustom()),
    problem,
  );
  const back = button('Back', () => goBack(), { look: 'plain', label: 'Back to the time before', disabled: true });

  const show = (): void => {
    const isKnown = isFollowing(range) && ranges.some(([lastS]) => isFollowing(range) && lastS === range.lastS);
    choice.control.value = isKnown && isFollowing(range) ? String(range.lastS) : custom;
    own.hidden = isKnown;
    const span = spanOf(range, nowS);
    [from.control.value, to.control.value] = [localText(span.fromS), localText(span.toS)];
    back.disabled = before.length === 0;
  };
  const change = (to: Range, isStep = true): void => {
    if (isStep) before = [...before.slice(-20), range];
    range = to;
    problem.textContent = '';
    show();
    onChange();
  };
  const goBack = (): void => {
    const last = before.at(-1);
    before = before.slice(0, -1);
    if (last) change(last, false);
  };
  const showCustom = (): void => {
    const [fromS, toS] = [secondsIn(from.control.value), secondsIn(to.control.value)];
    if (toS > fromS) change({ fromS, toS });
    else problem.textContent = 'The end must come after the beginning.';
  };
  const current = (): Span => spanOf(range, nowS);

  choice.control.addEventListener('change', () => {
    if (choice.control.value === custom) {
      own.hidden = false;
      from.control.focus();
    } else change({ lastS: Number(choice.control.value) });
  });
  const follow = (): void => {
    clearInterval(timer);
    const seconds = Number(pause.control.value);
    // Nobody looks at a page that is not shown.
    if (seconds > 0) timer = setInterval(() => !document.hidden && isFollowing(range) && onChange(), seconds * 1000);
  };
  pause.control.addEventListener('change', follow);
  pause.control.value = String(usualPause);
  follow();
  signal.addEventListener('abort', () => clearInterval(timer));
  show();

  return {
    view: element(
      'div',
      { class: 'time-bar', role: 'group', 'aria-label': 'What time is shown' },
      choice.view,
      pause.view,
      element(
        'div',
        { class: 'actions' },
        button('Earlier', () => change(moved(current(), -1)), { look: 'plain' }),
        button('Later', () => change(moved(current(), 1)), { look: 'plain' }),
        button('Zoom out', () => change(widened(current())), { look: 'plain' }),
        back,
        button('Refresh', onChange, { look: 'plain' }),
      ),
      own,
    ),
    get range() {
      return range;
    },
    zoom: (span) => change(span),
    told(seconds) {
      nowS = seconds;
      if (own.hidden) show();
    },
  };
}

function select(title: string, options: readonly (readonly [value: string, title: string])[]) {
  const id = freshId('choice');
  const control = element('select', { id });
  fill(
    control,
    options.map(([value, name]) => element('option', { value }, name)),
  );
  return { control, view: element('div', { class: 'field' }, element('label', { for: id }, title), control) };
}

function timeField(title: string) {
  const id = freshId('time');
  const control = element('input', { id, type: 'datetime-local', step: 1 });
  return { control, view: element('div', { class: 'field' }, element('label', { for: id }, title), control) };
}

// As the browser's own field of date and time has it, in local time.
function localText(atS: number): string {
  const at = new Date(atS * 1000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

const secondsIn = (text: string): number => new Date(text).getTime() / 1000;
