// The visible part of a picture: fitted to the window until the user moves or zooms it. In a narrow window, a picture
// that would be too small to read starts with its top.
import { computed, signal } from '@preact/signals';
import type { Point, Rectangle } from './layout.ts';

export interface View extends Point {
  scale: number;
}

interface Size {
  width: number;
  height: number;
}

const least = 0.05;
const most = 2.5;
const mostFitted = 1; // a small picture isn't enlarged
const narrow = 600; // in a window narrower than this …
const leastRead = 0.7; // … the picture starts at least at this scale, with its top
const room = 24; // around a revealed item

export class Viewport {
  readonly view = signal<View>({ x: 0, y: 0, scale: 1 });
  readonly transform = computed(() => {
    const { x, y, scale } = this.view.value;
    return `translate(${x} ${y}) scale(${scale})`;
  });
  #window: Size = { width: 0, height: 0 };
  #picture: Size = { width: 0, height: 0 };
  #middle = 0; // of the items at the top of the picture
  #shows: 'beginning' | 'whole' | 'part' = 'beginning';

  // Adapts to a new size of the window or the picture.
  resize(window: Size, picture: Size, middle = picture.width / 2): void {
    this.#window = window;
    this.#picture = picture;
    this.#middle = middle;
    if (this.#shows === 'beginning') this.#begin();
    else if (this.#shows === 'whole') this.fit();
  }

  fit(): void {
    this.#shows = 'whole';
    const { width, height } = this.#window;
    const scale = this.#fittedScale();
    const [x, y] = [(width - this.#picture.width * scale) / 2, (height - this.#picture.height * scale) / 2];
    this.view.value = { x, y, scale };
  }

  #begin(): void {
    this.fit();
    this.#shows = 'beginning';
    const { width } = this.#window;
    if (width === 0 || width > narrow || this.#fittedScale() >= leastRead) return;
    this.view.value = { x: width / 2 - this.#middle * leastRead, y: 0, scale: leastRead };
  }

  #fittedScale(): number {
    const { width, height } = this.#window;
    const fitted = Math.min(width / (this.#picture.width || 1), height / (this.#picture.height || 1));
    return limited(Math.min(fitted, mostFitted));
  }

  pan(dx: number, dy: number): void {
    const { x, y, scale } = this.view.value;
    this.#show({ x: x + dx, y: y + dy, scale });
  }

  // Zooms around a point of the window, by default its middle.
  zoom(factor: number, at: Point = { x: this.#window.width / 2, y: this.#window.height / 2 }): void {
    const { x, y, scale } = this.view.value;
    const next = limited(scale * factor);
    const by = next / scale;
    this.#show({ x: at.x - (at.x - x) * by, y: at.y - (at.y - y) * by, scale: next });
  }

  // A rectangle in the picture.
  inWindow({ x, y, width, height }: Rectangle): Rectangle {
    const { x: left, y: top, scale } = this.view.value;
    return { x: left + x * scale, y: top + y * scale, width: width * scale, height: height * scale };
  }

  // Moves the picture as little as needed to show the rectangle.
  reveal(rectangle: Rectangle): void {
    const { x, y, width, height } = this.inWindow(rectangle);
    const dx = shift(x, width, this.#window.width);
    const dy = shift(y, height, this.#window.height);
    if (dx !== 0 || dy !== 0) this.pan(dx, dy);
  }

  #show(view: View): void {
    this.#shows = 'part';
    this.view.value = view;
  }
}

const limited = (scale: number): number => Math.min(most, Math.max(least, scale));

function shift(from: number, size: number, whole: number): number {
  if (from < room) return room - from;
  const beyond = from + size - (whole - room);
  return beyond > 0 ? -Math.min(beyond, from - room) : 0;
}
