// The theme of all pages: system, light or dark. The browser stores it for each user, and as the initial theme, which
// theme.js sets before the first paint.
import { signal } from '@preact/signals';

export const themes = { system: 'System', light: 'Light', dark: 'Dark' } as const;
export type Theme = keyof typeof themes;

const key = 'theme';
const keyOf = (user: string): string => `${key}/${user}`;

const system = matchMedia('(prefers-color-scheme: dark)');
export const theme = signal<Theme>(stored(key) ?? 'system');
export const isDark = signal(darkNow());

system.addEventListener('change', show);

export function chooseTheme(chosen: Theme, user?: string): void {
  theme.value = chosen;
  store(key, chosen);
  if (user !== undefined) store(keyOf(user), chosen);
  show();
}

// Restores the theme of the user who has signed in, because another user may have changed it in this browser.
export function takeThemeOf(user: string): void {
  const own = stored(keyOf(user));
  if (own !== undefined && own !== theme.value) chooseTheme(own, user);
}

function show(): void {
  const { dataset } = document.documentElement;
  if (theme.value === 'system') delete dataset.theme;
  else dataset.theme = theme.value;
  isDark.value = darkNow();
}

function darkNow(): boolean {
  return theme.value === 'dark' || (theme.value === 'system' && system.matches);
}

// The browser may be configured to store nothing.
function stored(name: string): Theme | undefined {
  try {
    const text = localStorage.getItem(name);
    return text !== null && Object.hasOwn(themes, text) ? (text as Theme) : undefined;
  } catch {
    return undefined;
  }
}

function store(name: string, chosen: Theme): void {
  try {
    localStorage.setItem(name, chosen);
  } catch {
    // The theme then lasts until the page is closed.
  }
}
