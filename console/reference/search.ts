// The search of an API page. All words must occur in an operation's line, its id or its group's name. Groups without a
// match are hidden.

interface Group {
  element: HTMLElement;
  list: HTMLDetailsElement | null; // of the page of all services
  operations: { element: HTMLElement; text: string }[];
}

const field = document.getElementById('search') as HTMLInputElement;
const status = document.getElementById('found') as HTMLElement;

const groups: Group[] = [...document.querySelectorAll<HTMLElement>('[data-group]')].map((element) => ({
  element,
  list: element.querySelector<HTMLDetailsElement>(':scope > details:not(.operation)'),
  operations: [...element.querySelectorAll<HTMLElement>('[data-words]')].map((one) => ({
    element: one,
    text: `${element.dataset.words} ${one.dataset.words} ${one.textContent}`.toLowerCase(),
  })),
}));

export function search(phrase = field.value): void {
  field.value = phrase;
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  const isSearching = words.length > 0;
  let found = 0;
  for (const { element, list, operations } of groups) {
    let here = 0;
    for (const one of operations) {
      const fits = words.every((word) => one.text.includes(word));
      one.element.hidden = !fits;
      if (fits) here++;
    }
    element.hidden = here === 0;
    if (list) list.open = isSearching;
    found += here;
  }
  document.querySelector('.cards')?.classList.toggle('searching', isSearching);
  status.textContent = isSearching ? `${found} found` : `${found} operations`;
}

export function followSearch(): void {
  field.addEventListener('input', () => search());
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select');
    if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping) return;
    event.preventDefault();
    field.focus();
  });
  search();
}
