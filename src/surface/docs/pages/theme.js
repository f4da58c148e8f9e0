// Sets the theme that was chosen in this browser before anything is painted; console/theme.ts stores it. Without one the
// page follows the system. It is loaded without defer on purpose, and must stay small.
try {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // The browser stores nothing: the system decides.
}
