// Back and Forward find a page where it was scrolled to. What is in it comes later than the page itself, so each frame
// tries again until that place is there, for a while, and not when somebody scrolls meanwhile.

interface Scrolled {
  page: number;
  list: number; // of a list that scrolls in its own box
}

const limitMs = 10_000;
const places = new Map<string, Scrolled>();
let attempt = 0;

const listBox = (): Element | null => document.querySelector('main .long-box');
const scrolledNow = (): Scrolled => ({ page: scrollY, list: listBox()?.scrollTop ?? 0 });

// `entry` names one of the browser's history.
export function keepScrolled(entry: string): void {
  places.set(entry, scrolledNow());
}

export function scrollToTop(): void {
  attempt += 1;
  scrollTo(0, 0);
}

export function scrollAsIn(entry: string): void {
  scrollToTop();
  const wanted = places.get(entry);
  if (!wanted || wanted.page + wanted.list === 0) return;
  const own = attempt;
  const untilMs = performance.now() + limitMs;
  let last: Scrolled | undefined;
  const tryAgain = (): void => {
    if (own !== attempt || performance.now() > untilMs) return;
    const now = scrolledNow();
    if (last && (now.page !== last.page || now.list !== last.list)) return;
    scrollTo(0, wanted.page);
    if (wanted.list > 0) listBox()?.scrollTo(0, wanted.list);
    last = scrolledNow();
    if (last.page < wanted.page || last.list < wanted.list) requestAnimationFrame(tryAgain);
  };
  requestAnimationFrame(tryAgain);
}
