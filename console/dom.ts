// Elements made in one call. Text only ever becomes text nodes and attributes, so nothing that a server or a user wrote
// can turn into markup.

export type Child = Node | string | number | false | null | undefined | readonly Child[];
export type Attributes = Record<string, string | number | boolean | undefined | ((event: Event) => void)>;

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key, value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== undefined && value !== false) made.setAttribute(key, String(value));
  }
  made.append(...nodesOf(children));
  return made;
}

export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren(...nodesOf(children));
}

export function nodesOf(child: Child): Node[] {
  if (child === false || child === null || child === undefined) return [];
  if (child instanceof Node) return [child];
  if (typeof child === 'string' || typeof child === 'number') return [document.createTextNode(String(child))];
  return child.flatMap(nodesOf);
}

export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
}

let made = 0;

// For labels and descriptions, which name what they belong to.
export const freshId = (word: string): string => `${word}-${++made}`;

export interface ButtonOptions {
  look?: 'plain' | 'danger'; // without one it is what the page is about
  label?: string; // where the text alone does not say of what
  disabled?: boolean;
  submits?: boolean;
}

export function button(text: string, press: () => void, options: ButtonOptions = {}): HTMLButtonElement {
  return element(
    'button',
    {
      type: options.submits ? 'submit' : 'button',
      class: options.look,
      'aria-label': options.label,
      disabled: options.disabled,
      ...(!options.submits && { click: press }),
    },
    text,
  );
}

export const link = (address: string, text: string, attributes: Attributes = {}): HTMLAnchorElement =>
  element('a', { href: address, ...attributes }, text);
