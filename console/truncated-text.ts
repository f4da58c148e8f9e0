// Truncated text gets a tooltip with the full text.

const depth = 3; // levels from the element under the pointer to the box that truncates it

const isTruncated = (box: HTMLElement): boolean =>
  box.scrollWidth > box.clientWidth && getComputedStyle(box).textOverflow === 'ellipsis';

function addTooltip({ target }: Event): void {
  let box = target instanceof HTMLElement ? target : null;
  for (let at = 0; box && at < depth; at += 1, box = box.parentElement) {
    if (box.title !== '' && box.dataset.truncated === undefined) return; // keep an existing tooltip
    if (isTruncated(box)) {
      box.title = box.innerText;
      box.dataset.truncated = '';
      return;
    }
    if (box.dataset.truncated === undefined) continue;
    box.removeAttribute('title'); // the text fits again
    delete box.dataset.truncated;
  }
}

export function addTooltips(): void {
  document.addEventListener('pointerover', addTooltip, { passive: true });
}
