// Moves and zooms a viewport by pointer, wheel and keys. A press that moves the picture isn't a click on the item
// below.
import type { Point } from './layout.ts';
import type { Viewport } from './viewport.ts';

const clickPx = 4;
const keyStep = 60;
const keyZoom = 1.25;

export function listenTo(place: HTMLElement, viewport: Viewport): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const pressed = new Map<number, Point>();
  let moved = 0;

  const pointOf = ({ clientX, clientY }: MouseEvent): Point => {
    const { left, top } = place.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  place.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0) return;
      if (pressed.size === 0) moved = 0;
      pressed.set(event.pointerId, pointOf(event));
    },
    { signal },
  );
  place.addEventListener(
    'pointermove',
    (event) => {
      const before = pressed.get(event.pointerId);
      if (!before) return;
      const now = pointOf(event);
      moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
      if (moved <= clickPx) return;
      place.setPointerCapture(event.pointerId);
      const other = [...pressed].find(([id]) => id !== event.pointerId)?.[1];
      if (other) viewport.zoom(distance(now, other) / (distance(before, other) || 1), middle(now, other));
      else viewport.pan(now.x - before.x, now.y - before.y);
      pressed.set(event.pointerId, now);
    },
    { signal },
  );
  const release = ({ pointerId }: PointerEvent): void => void pressed.delete(pointerId);
  place.addEventListener('pointerup', release, { signal });
  place.addEventListener('pointercancel', release, { signal });
  // Otherwise, browsers would drag a link.
  place.addEventListener('dragstart', (event) => event.preventDefault(), { signal });
  place.addEventListener(
    'click',
    (event) => {
      if (moved <= clickPx) return;
      event.preventDefault();
      event.stopPropagation();
      moved = 0;
    },
    { signal, capture: true },
  );
  place.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const pixels = event.deltaMode === 0 ? event.deltaY : event.deltaY * 16;
      viewport.zoom(Math.exp(-pixels / 400), pointOf(event));
    },
    { signal, passive: false },
  );
  place.addEventListener('keydown', (event) => onKey(event, viewport), { signal });
  return () => ending.abort();
}

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);
const middle = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });

const keys: Record<string, (viewport: Viewport) => void> = {
  ArrowLeft: (viewport) => viewport.pan(keyStep, 0),
  ArrowRight: (viewport) => viewport.pan(-keyStep, 0),
  ArrowUp: (viewport) => viewport.pan(0, keyStep),
  ArrowDown: (viewport) => viewport.pan(0, -keyStep),
  '+': (viewport) => viewport.zoom(keyZoom),
  '=': (viewport) => viewport.zoom(keyZoom), // the same key without Shift
  '-': (viewport) => viewport.zoom(1 / keyZoom),
  '0': (viewport) => viewport.fit(),
};

function onKey(event: KeyboardEvent, viewport: Viewport): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  act(viewport);
}
