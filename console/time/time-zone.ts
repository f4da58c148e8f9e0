// The time zone of charts: the browser's, UTC or a named one. The browser stores it for each user.
import { signal } from '@preact/signals';

export const browserZone = '';
export const zone = signal(browserZone);

const keyOf = (user: string): string => `time-zone/${user}`;
let owner: string | undefined;

// Restores the choice of the user who has signed in.
export function takeZoneOf(user: string): void {
  owner = user;
  try {
    const stored = localStorage.getItem(keyOf(user)) ?? browserZone;
    zone.value = isZone(stored) ? stored : browserZone;
  } catch {
    zone.value = browserZone; // the browser may be configured to store nothing
  }
}

export function chooseZone(chosen: string): void {
  zone.value = chosen;
  try {
    if (owner !== undefined) localStorage.setItem(keyOf(owner), chosen);
  } catch {
    // The time zone then lasts until the page is closed.
  }
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name === browserZone ? undefined : name });
    return true;
  } catch {
    return false;
  }
}

export function zoneOptions(): [zone: string, title: string][] {
  const named = Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC');
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return [
    [browserZone, `Browser (${timeZone})`],
    ['UTC', 'UTC'],
    ...named.map((name): [string, string] => [name, name.replaceAll('_', ' ')]),
  ];
}

// Formats milliseconds since 1970 in the chosen zone. A view that calls it follows the choice.
export function inZone(options: Intl.DateTimeFormatOptions, locale?: string): (atMs: number) => string {
  let [of, format]: [string | undefined, Intl.DateTimeFormat | undefined] = [undefined, undefined];
  return (atMs) => {
    if (of !== zone.value || !format) {
      of = zone.value;
      format = new Intl.DateTimeFormat(locale, { ...options, ...(of !== browserZone && { timeZone: of }) });
    }
    return format.format(atMs);
  };
}
