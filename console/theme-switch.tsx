// The theme selection in the top bar of every page.
import { Choice } from './components/field.tsx';
import { chooseTheme, type Theme, theme, themes } from './theme.ts';

export const ThemeSwitch = ({ user }: { user: string | undefined }) => (
  <Choice
    label="Theme"
    value={theme.value}
    options={Object.entries(themes)}
    onChange={(chosen) => chooseTheme(chosen as Theme, user)}
  />
);
