// Calculates which tabs fit into a row: the first ones and always the current one. The others go into a menu.

export interface Row {
  widths: readonly number[]; // of all tabs, in pixels
  room: number;
  menuWidth: number; // width of the menu button
  current: number; // index of the current tab, or -1
}

export function fittingTabs({ widths, room, menuWidth, current }: Row): number[] {
  const all = widths.map((_, at) => at);
  const sum = (places: readonly number[]): number => places.reduce((total, at) => total + (widths[at] ?? 0), 0);
  if (sum(all) <= room) return all;
  const others = all.filter((at) => at !== current);
  const own = all.filter((at) => at === current);
  let count = others.length;
  while (count > 0 && sum([...others.slice(0, count), ...own]) > room - menuWidth) count -= 1;
  return [...others.slice(0, count), ...own].sort((a, b) => a - b);
}
