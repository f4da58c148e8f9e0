// Moves or resizes a tile with the pointer, in cells of the grid.
import { perform } from '../../components/toast.tsx';
import { columns } from './grid.ts';
import type { LayoutModel } from './layout-model.ts';

const narrow = '(max-width: 48rem)'; // there the panels are in one column

export function followDrag(
  event: PointerEvent,
  tile: HTMLElement,
  layout: LayoutModel,
  id: number,
  isResizing: boolean,
): void {
  const grid = tile.parentElement;
  const handle = event.currentTarget as HTMLElement;
  if (event.button !== 0 || !grid || matchMedia(narrow).matches || isControl(event.target)) return;
  event.preventDefault();
  const { rowGap, columnGap, gridAutoRows } = getComputedStyle(grid);
  const columnPx = (grid.clientWidth + Number.parseFloat(columnGap)) / columns;
  const rowPx = Number.parseFloat(gridAutoRows) + Number.parseFloat(rowGap);
  const start = { x: event.pageX, y: event.pageY };
  const ending = new AbortController();
  const { signal } = ending;
  let isBegun = false;
  const move = ({ pageX, pageY }: PointerEvent): void => {
    const [right, down] = [Math.round((pageX - start.x) / columnPx), Math.round((pageY - start.y) / rowPx)];
    if (!isBegun && right === 0 && down === 0) return;
    if (!isBegun) layout.begin(id);
    isBegun = true;
    layout.drag(right, down, isResizing);
  };
  const cancel = (): void => {
    ending.abort();
    if (isBegun) layout.cancel();
  };
  const end = (): void => {
    ending.abort();
    if (isBegun) perform(() => layout.end());
  };
  handle.setPointerCapture(event.pointerId);
  handle.addEventListener('pointermove', move, { signal });
  handle.addEventListener('pointerup', end, { signal });
  handle.addEventListener('pointercancel', cancel, { signal });
  document.addEventListener('keydown', ({ key }) => key === 'Escape' && cancel(), { signal });
}

const isControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('button, a, [role="menu"]') !== null;
