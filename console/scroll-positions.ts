// Restores the scroll position after Back and Forward. The content of a page loads later than the page itself, so each
// frame tries again until the position exists, the time limit is over or the user scrolls.

interface ScrollPosition {
  page: number;
  list: number; // position of the list that scrolls in its own box
}

const limitMs = 10_000;
const places = new Map<string, ScrollPosition>();
let attempt = 0;

const listBox = (): Element | null => document.querySelector('main .long-box');
const currentPosition = (): ScrollPosition => ({ page: scrollY, list: listBox()?.scrollTop ?? 0 });

// `entry` is the name of an entry of the browser's history.
export function saveScrollPosition(entry: string): void {
  places.set(entry, currentPosition());
}

export function scrollToTop(): void {
  attempt += 1;
  scrollTo(0, 0);
}

export function restoreScrollPosition(entry: string): void {
  scrollToTop();
  const wanted = places.get(entry);
  if (!wanted || wanted.page + wanted.list === 0) return;
  const own = attempt;
  const untilMs = performance.now() + limitMs;
  let last: ScrollPosition | undefined;
  const tryAgain = (): void => {
    if (own !== attempt || performance.now() > untilMs) return;
    const now = currentPosition();
    if (last && (now.page !== last.page || now.list !== last.list)) return;
    scrollTo(0, wanted.page);
    if (wanted.list > 0) listBox()?.scrollTo(0, wanted.list);
    last = currentPosition();
    if (last.page < wanted.page || last.list < wanted.list) requestAnimationFrame(tryAgain);
  };
  requestAnimationFrame(tryAgain);
}
