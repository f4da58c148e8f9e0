// The design tokens of the pages, read from the style sheet that declares them.

export type TokenKind = 'colour' | 'line' | 'font' | 'size' | 'space' | 'radius' | 'shadow';

export interface Token {
  name: string; // --ground
  value: string;
  kind: TokenKind;
}

const sizes = ['--tiny', '--small', '--body', '--heading', '--figure', '--title'];

export function kindOf(name: string): TokenKind {
  if (name.startsWith('--line-')) return 'line';
  if (name.startsWith('--space')) return 'space';
  if (name.startsWith('--radius')) return 'radius';
  if (name === '--shadow') return 'shadow';
  if (name === '--mono' || name === '--sans') return 'font';
  return sizes.includes(name) ? 'size' : 'colour';
}

export function declaredTokens(): Token[] {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  const root = rules.find((rule) => rule instanceof CSSStyleRule && rule.style.getPropertyValue('--ground') !== '');
  if (!(root instanceof CSSStyleRule)) return [];
  return [...root.style]
    .filter((name) => name.startsWith('--'))
    .map((name) => ({ name, value: root.style.getPropertyValue(name), kind: kindOf(name) }));
}
