// The path of a small line: its values from the left to the right, with gaps where values are missing.
export interface SparkSize {
  width: number;
  height: number;
  most?: number; // the value at the upper end; default: the largest one
}

const edge = 1; // keeps the line within the picture

export function sparkPath(values: readonly (number | null)[], { width, height, most }: SparkSize): string {
  const top = most ?? Math.max(...values.map((value) => value ?? 0));
  const stepX = width / Math.max(1, values.length - 1);
  const rangeY = height - 2 * edge;
  let isDrawn = false;
  return values
    .map((value, at) => {
      if (value === null) {
        isDrawn = false;
        return '';
      }
      const part = top > 0 ? Math.min(1, value / top) : 0;
      const point = `${isDrawn ? 'L' : 'M'}${(at * stepX).toFixed(1)} ${(height - edge - part * rangeY).toFixed(1)}`;
      isDrawn = true;
      return point;
    })
    .join('');
}
