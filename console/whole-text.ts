// Text that is cut off for want of room is told whole by the browser, when the pointer rests on it.

const depth = 3; // from what is pointed at to the box that cuts it off

const isCutOff = (box: HTMLElement): boolean =>
  box.scrollWidth > box.clientWidth && getComputedStyle(box).textOverflow === 'ellipsis';

function tellWhole({ target }: Event): void {
  let box = target instanceof HTMLElement ? target : null;
  for (let at = 0; box && at < depth; at += 1, box = box.parentElement) {
    if (box.title !== '' && box.dataset.whole === undefined) return; // it has a better one
    if (isCutOff(box)) {
      box.title = box.innerText;
      box.dataset.whole = '';
      return;
    }
    if (box.dataset.whole === undefined) continue;
    box.removeAttribute('title'); // there is room by now
    delete box.dataset.whole;
  }
}

export function tellCutOffText(): void {
  document.addEventListener('pointerover', tellWhole, { passive: true });
}
