// The layout of panels in a grid of 12 columns. Panels never overlap, and there are no gaps above them.
import type { Place } from '../plot/panel-settings.ts';

export const columns = 12;
export const usualSize = { width: 6, height: 9 };
const smallest = { width: 1, height: 2 };
const half = 0.5; // the narrowest imported panel

function withinGrid({ x, y, width, height }: Place): Place {
  const fitting = Math.min(columns, Math.max(half, width));
  return { x: Math.min(columns - fitting, Math.max(0, x)), y: Math.max(0, y), width: fitting, height };
}

// The order from the top to the bottom, and from the left to the right.
export const readingOrder = (places: readonly Place[]): number[] =>
  places
    .map((_, at) => at)
    .toSorted((a, b) => {
      const [one, two] = [places[a] as Place, places[b] as Place];
      return one.y - two.y || one.x - two.x;
    });

const shareColumns = (a: Place, b: Place): boolean => a.x < b.x + b.width && b.x < a.x + a.width;

// Moves each panel up as far as possible, in this order.
function compacted(places: readonly Place[], order = readingOrder(places)): Place[] {
  const result = [...places];
  const settled: Place[] = [];
  for (const at of order) {
    const place = places[at] as Place;
    const bottoms = settled.filter((one) => shareColumns(one, place)).map(({ y, height }) => y + height);
    const next = { ...place, y: Math.max(0, ...bottoms) };
    settled.push(next);
    result[at] = next;
  }
  return result;
}

// Places panels without a position after the others, two in a row.
export function arranged(places: readonly (Place | undefined)[], sizes: readonly Partial<Place>[] = []): Place[] {
  const known = places.filter((place) => place !== undefined).map(withinGrid);
  let [x, y] = [0, Math.max(0, ...known.map((place) => place.y + place.height))];
  let rowHeight = 0;
  const all = places.map((place, at): Place => {
    if (place) return withinGrid(place);
    const { width = usualSize.width, height = usualSize.height } = sizes[at] ?? {};
    if (x + width > columns) [x, y, rowHeight] = [0, y + rowHeight, 0];
    const next = { x, y, width, height };
    x += width;
    rowHeight = Math.max(rowHeight, height);
    return next;
  });
  return compacted(all);
}

// A panel gets a new place. It goes before or after another panel when it passes the middle of the other one.
export function placed(places: readonly Place[], at: number, place: Place): Place[] {
  const wanted = withinGrid(place);
  const isDown = wanted.y > (places[at]?.y ?? 0);
  const next = places.with(at, wanted);
  const others = readingOrder(places).filter((one) => one !== at);
  const follower = others.findIndex((other) => {
    const one = places[other] as Place;
    const middle = one.y + one.height / 2;
    return shareColumns(one, wanted) && (isDown ? wanted.y + wanted.height < middle : wanted.y <= middle);
  });
  const order = follower < 0 ? [...others, at] : others.toSpliced(follower, 0, at);
  return compacted(next, order);
}

const steps: Readonly<Record<string, readonly [right: number, down: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

// The layout after an arrow key: it moves the panel, or with Shift resizes it. A step up or down leads to the next
// different layout, because panels always move up as far as possible.
export function stepped(places: readonly Place[], at: number, key: string, isResizing: boolean): Place[] | undefined {
  const step = steps[key];
  const place = places[at];
  if (!step || !place) return undefined;
  const [right, down] = step;
  if (isResizing) return placed(places, at, resized(place, right, down));
  if (down === 0) return placed(places, at, { ...place, x: place.x + right });
  const last = Math.max(...places.map(({ y, height }) => y + height));
  for (let y = place.y + down; y >= 0 && y <= last; y += down) {
    const next = placed(places, at, { ...place, y });
    if (next[at]?.y !== place.y) return next;
  }
  return [...places];
}

export function resized(place: Place, width: number, height: number): Place {
  return {
    ...place,
    width: Math.min(columns - place.x, Math.max(smallest.width, place.width + width)),
    height: Math.max(smallest.height, place.height + height),
  };
}

export const placeText = ({ x, y, width, height }: Place): string =>
  `Column ${x + 1}, row ${y + 1}, ${width} columns wide, ${height} rows high`;
