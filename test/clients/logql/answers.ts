// Answers of the query API in a form that can be compared and recorded.

export type Point = [time: number, value: string];

export interface Answer {
  status: number;
  error?: string;
  type?: string;
  streams?: [labels: string, lines: [timeNs: string, line: string][]][];
  series?: [labels: string, points: Point[]][];
}

interface Body {
  data: {
    resultType: string;
    result: {
      stream?: Record<string, string>;
      metric?: Record<string, string>;
      values?: [string | number, string][];
      value?: Point;
    }[];
  };
}

const keyOf = (labels: Record<string, string> = {}): string =>
  JSON.stringify(
    Object.entries(labels)
      .map(([name, value]) => [name, name === '__error_details__' ? withoutPlace(value) : value])
      .sort(),
  );

// Go's templates report at which character a template failed; ours do not.
const withoutPlace = (details: string): string =>
  details.replace(/^template: (\w+):1:.*?(?=error calling |can't )/, '$1: ');

export function answerOf(status: number, text: string): Answer {
  if (status !== 200) return { status, error: text.trim() };
  const { resultType, result } = (JSON.parse(text) as Body).data;
  if (resultType === 'streams') {
    const streams = result.map(({ stream, values = [] }): [string, [string, string][]] => [
      keyOf(stream),
      values.map(([time, line]) => [String(time), line]),
    ]);
    return { status, type: resultType, streams: streams.sort(([a], [b]) => (a < b ? -1 : 1)) };
  }
  if (resultType === 'scalar') return { status, type: resultType, series: [['', [result as unknown as Point]]] };
  const series = result.map(({ metric, values, value }): [string, Point[]] => [
    keyOf(metric),
    (values as Point[] | undefined) ?? [value as Point],
  ]);
  return { status, type: resultType, series: series.sort(([a], [b]) => (a < b ? -1 : 1)) };
}

const share = 1e-9;

const isSame = (one: string, other: string): boolean => {
  if (one === other) return true;
  const [a, b] = [Number(one), Number(other)];
  return Math.abs(a - b) <= share * Math.max(Math.abs(a), Math.abs(b), share);
};

// The difference as a text; undefined if there is none.
export function difference(ours: Answer, theirs: Answer, isLoose: boolean): string | undefined {
  // Loki answers 500 if the series on the two sides of an operator do not match; ours is 400.
  if ((ours.status === 200) !== (theirs.status === 200)) return `${describe(ours)}, not ${describe(theirs)}`;
  if (ours.status !== 200) return undefined;
  if (ours.type !== theirs.type) return `a ${ours.type}, not a ${theirs.type}`;
  if (theirs.streams) {
    const [mine, other] = [JSON.stringify(ours.streams), JSON.stringify(theirs.streams)];
    return mine === other ? undefined : `${firstDifference(mine, other)}`;
  }
  if (isLoose) return differentValues(ours, theirs);
  const [mine, other] = [ours.series ?? [], theirs.series ?? []];
  const names = (list: [string, Point[]][]): string => list.map(([key]) => key).join(' ');
  if (names(mine) !== names(other)) return `series ${firstDifference(names(mine), names(other))}`;
  for (const [index, [key, points]] of mine.entries()) {
    const wanted = other[index]?.[1] ?? [];
    if (points.length !== wanted.length) return `${key}: ${points.length} points, not ${wanted.length}`;
    const at = points.findIndex(([time, value], i) => time !== wanted[i]?.[0] || !isSame(value, wanted[i]?.[1] ?? ''));
    if (at >= 0) return `${key}: ${points[at]}, not ${wanted[at]}`;
  }
  return undefined;
}

// Which of several equal series were chosen may differ, but the values may not.
function differentValues(ours: Answer, theirs: Answer): string | undefined {
  const values = ({ series = [] }: Answer): string =>
    series
      .flatMap(([, points]) => points.map(([time, value]) => `${time} ${Number(Number(value).toPrecision(9))}`))
      .sort()
      .join('\n');
  return values(ours) === values(theirs) ? undefined : firstDifference(values(ours), values(theirs));
}

function firstDifference(mine: string, other: string): string {
  let at = 0;
  while (at < mine.length && mine[at] === other[at]) at++;
  const cut = (text: string): string => text.slice(Math.max(0, at - 80), at + 160);
  return `…${cut(mine)}…\n     not …${cut(other)}…`;
}

const describe = ({ status, error, type }: Answer): string => `${status} ${error ?? type}`;
