// A row of tabs. The address names the current one. Tabs that do not fit are in a menu at the end; in a narrow window
// the row scrolls instead.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Menu } from '../menu.tsx';
import { fittingTabs } from './fitting-tabs.ts';

export interface TabLink {
  name: string;
  title: string;
  url: string;
}

export interface TabsProps {
  label: string;
  tabs: readonly TabLink[];
  current: string;
}

const scrolls = matchMedia('(max-width: 48rem)');
const menuWidth = 88;

export function Tabs({ label, tabs, current }: TabsProps) {
  const row = useRef<HTMLElement>(null);
  const shown = useSignal<readonly number[]>(tabs.map((_, at) => at));
  const titles = tabs.map(({ title }) => title).join('\n');
  useLayoutEffect(() => {
    const all = row.current;
    if (!all) return undefined;
    const fit = (): void => {
      const links = [...all.querySelectorAll<HTMLElement>(':scope > a')];
      const places = fittingTabs({
        widths: links.map((one) => one.offsetWidth),
        room: scrolls.matches ? Number.POSITIVE_INFINITY : all.clientWidth,
        menuWidth,
        current: tabs.findIndex(({ name }) => name === current),
      });
      if (places.join() !== shown.value.join()) shown.value = places;
    };
    const observer = new ResizeObserver(fit);
    observer.observe(all);
    fit();
    return () => observer.disconnect();
  }, [titles, current]);
  useLayoutEffect(() => {
    const [all, one] = [row.current, row.current?.querySelector<HTMLElement>('[aria-current]')];
    if (all && one) all.scrollLeft = one.offsetLeft - all.offsetLeft - (all.clientWidth - one.offsetWidth) / 2;
  }, [current]);
  const isLeft = (at: number): boolean => !shown.value.includes(at);
  const left = tabs.filter((_, at) => isLeft(at));
  return (
    <nav class="tabs" aria-label={label} ref={row}>
      {tabs.map(({ name, title, url }, at) => (
        // Tabs in the menu stay in the row, invisible, so that they can be measured.
        <a
          key={name}
          href={url}
          class={isLeft(at) ? 'left' : undefined}
          aria-current={name === current ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
      {left.length > 0 && (
        <Menu title="More" entries={left.map(({ name, title, url }) => ({ key: name, title, url }))} />
      )}
    </nav>
  );
}
