// The time range of all charts, the earlier ranges for Back, and the fields of a custom range.
import { signal } from '@preact/signals';
import {
  isFollowing,
  localText,
  moved,
  type Range,
  ranges,
  type Span,
  secondsIn,
  spanOf,
  widened,
} from './time-range.ts';

export interface CustomRange {
  from: string; // format of the browser's date and time field, in local time
  to: string;
}

const maxEarlier = 20;

export class TimeSelection {
  readonly custom = signal<CustomRange | undefined>(undefined); // while its fields are shown
  readonly problem = signal('');
  readonly range = signal<Range>({ lastS: 0 });
  readonly earlier = signal<readonly Range[]>([]);
  readonly #onChange: () => void;
  nowS = 0; // the region's time at the last update

  constructor(range: Range, onChange: () => void) {
    this.#onChange = onChange;
    this.#show(range);
  }

  get span(): Span {
    return spanOf(this.range.value, this.nowS);
  }

  select(range: Range): void {
    this.earlier.value = [...this.earlier.value.slice(-maxEarlier), this.range.value];
    this.#change(range);
  }

  move(direction: -1 | 1): void {
    this.select(moved(this.span, direction));
  }

  widen(): void {
    this.select(widened(this.span));
  }

  back(): void {
    const last = this.earlier.value.at(-1);
    this.earlier.value = this.earlier.value.slice(0, -1);
    if (last) this.#change(last);
  }

  openCustom(): void {
    const { fromS, toS } = this.span;
    this.custom.value = { from: localText(fromS), to: localText(toS) };
  }

  selectCustom(): void {
    const { from = '', to = '' } = this.custom.value ?? {};
    const [fromS, toS] = [secondsIn(from), secondsIn(to)];
    if (toS > fromS) this.select({ fromS, toS });
    else this.problem.value = 'The end must be after the start.';
  }

  // The fields of a custom range show the same times in the new zone.
  changeZone(change: () => void): void {
    const { from = '', to = '' } = this.custom.value ?? {};
    const [fromS, toS] = [secondsIn(from), secondsIn(to)];
    change();
    if (this.custom.value && toS > 0 && fromS > 0) this.custom.value = { from: localText(fromS), to: localText(toS) };
  }

  #change(range: Range): void {
    this.#show(range);
    this.#onChange();
  }

  #show(range: Range): void {
    this.range.value = range;
    this.problem.value = '';
    if (isFollowing(range) && ranges.some(([lastS]) => lastS === range.lastS)) this.custom.value = undefined;
    else this.openCustom();
  }
}
