// The scale of a bar chart.
const most = 4; // steps

// Round values from zero to the first one that is not below the highest value.
export function scaleTo(highest: number): number[] {
  if (!(highest > 0)) return [0];
  const power = 10 ** Math.floor(Math.log10(highest / most));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one * most >= highest * (1 - 1e-9)) as number;
  const count = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}
