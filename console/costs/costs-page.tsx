// The costs page: the month so far and its forecast, costs by product, day and resource, invoices and prices.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Bars } from '../components/bars.tsx';
import { Button } from '../components/button.tsx';
import { downloadText } from '../components/clipboard.ts';
import { CommandLine } from '../components/command-line.tsx';
import { Select } from '../components/field.tsx';
import { HeadActions, PageHead } from '../components/page/page-head.tsx';
import { useResource } from '../components/resource.ts';
import { Empty, Loaded } from '../components/states.tsx';
import { Section } from '../components/text.tsx';
import { perform } from '../components/toast.tsx';
import { regionNowMs } from '../region-clock.ts';
import { costs } from '../resources/client-commands/page-commands.ts';
import { knownModels, type Models } from '../resources/page-urls.ts';
import {
  type Cost,
  type CostsQuestion,
  type InvoiceSummary,
  type MonthCosts,
  type Price,
  readCost,
  readCosts,
  readInvoices,
  readPrices,
} from './billing-api.ts';
import {
  type Amount,
  amountNumber,
  amountOf,
  amountText,
  costText,
  csvOf,
  fitted,
  forecastOf,
  moneyText,
  periodOf,
  placesFor,
  productsOf,
  totalOf,
} from './costs-model.ts';
import { GroupedCosts } from './grouped-costs.tsx';
import { InvoicesSection } from './invoices-section.tsx';
import { PricesSection } from './prices-section.tsx';

interface Known {
  cost: Cost;
  month: MonthCosts; // the running one
  prices: readonly Price[];
  invoices: readonly InvoiceSummary[];
  models: Models;
}

export function CostsPage() {
  const known = useResource<Known>(async (signal) => {
    const [cost, month, prices, invoices, models] = await Promise.all([
      readCost(signal),
      readCosts(selectionOf(periodOf(regionNowMs())), signal),
      readPrices(signal),
      readInvoices(signal),
      knownModels(),
    ]);
    const quantity = amountText(totalOf(month.days), 10); // exact, while the API returns cents
    return { cost: { ...cost, total: { ...cost.total, quantity } }, month, prices, invoices, models };
  });
  return (
    <div class="costs">
      <PageHead title="Costs" />
      <Loaded resource={known} what="the costs">
        {(value) => (
          <>
            <Summary cost={value.cost} />
            <MonthSection known={value} />
            <InvoicesSection invoices={value.invoices} running={periodOf(regionNowMs())} />
            <PricesSection prices={value.prices} />
            <CommandLine text={costs} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Summary({ cost }: { cost: Cost }) {
  const { total, perHour, metadata } = cost;
  const forecast = forecastOf(cost, regionNowMs());
  const spent = amountOf(total.quantity);
  const hourly = amountOf(perHour.quantity);
  const facts = [
    [`${monthName(metadata.period)} so far`, moneyText(spent, total.unit, placesFor(spent))],
    ['Forecast for the month', moneyText(forecast, total.unit)],
    ['Per hour now', moneyText(hourly, perHour.unit, placesFor(hourly))],
  ] as const;
  return (
    <dl class="costs-summary">
      {facts.map(([title, value]) => (
        <div key={title} class="panel">
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

// Whether the month or the day is still running.
const isOpen = (time: string): boolean => new Date(regionNowMs()).toISOString().startsWith(time);

const monthFormat = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const monthName = (period: string): string => monthFormat.format(Date.parse(`${period}-01T00:00:00Z`));

// The present month and the months of the invoices.
function periodsOf(invoices: readonly InvoiceSummary[]): [period: string, title: string][] {
  const periods = new Set([periodOf(regionNowMs()), ...invoices.map(({ date }) => date.slice(0, 7))]);
  return [...periods]
    .sort()
    .reverse()
    .map((one) => [one, monthName(one) + (isOpen(one) ? ', so far' : '')]);
}

const selectionOf = (month: string): CostsQuestion => ({ month });

interface CostsAnswer {
  chosen: CostsQuestion;
  costs: MonthCosts;
}

function MonthSection({ known }: { known: Known }) {
  const first = useMemo(() => selectionOf(periodOf(regionNowMs())), []);
  const chosen = useSignal(first);
  const shown = useResource<CostsAnswer>(async (signal) => {
    const question = chosen.value;
    return { chosen: question, costs: question === first ? known.month : await readCosts(question, signal) };
  });
  const choose = (next: CostsQuestion): void => {
    chosen.value = next;
    void shown.reload();
  };
  const { month } = chosen.value;
  const choice = (
    <div class="costs-month-choice">
      <Select
        title="Month"
        value={month}
        options={periodsOf(known.invoices)}
        onChange={(one) => choose(one === first.month ? first : selectionOf(one))}
      />
    </div>
  );
  return (
    <Section title="Products and days" actions={choice}>
      <div class="costs-month">
        <Loaded resource={shown} what="the usage">
          {(value) => <MonthCharts shown={value} chosen={chosen.value} models={known.models} choose={choose} />}
        </Loaded>
      </div>
    </Section>
  );
}

interface MonthChartsProps {
  shown: CostsAnswer;
  chosen: CostsQuestion; // may be newer than the shown one
  models: Models;
  choose(next: CostsQuestion): void;
}

function MonthCharts({ shown, chosen, models, choose }: MonthChartsProps) {
  const { month } = shown.chosen;
  const { days, currency: unit } = shown.costs;
  const products = productsOf(days);
  if (products.length === 0) return <Empty text={`No costs in ${monthName(month)}.`} />;
  const places = placesFor(products.reduce((sum, { total }) => sum + total, 0n));
  const totals = fitted(
    products.map(({ total }) => total),
    places,
  );
  const lookOf = new Map(products.map((one, at) => [one.product, `line-${at % 10}`]));
  const { day = '', product = '' } = chosen;
  const select = (values: { day: string; product: string }): void => {
    const given = Object.entries(values).filter(([, value]) => value !== '');
    choose({ month: chosen.month, ...(chosen.group && { group: chosen.group }), ...Object.fromEntries(given) });
  };
  return (
    <>
      <div class="panel">
        <Bars
          label="Costs by day"
          size="high"
          axis={{ title: `${unit} per day`, text: axisText }}
          bars={days.map((one) => barOf(one, days.length, { unit, places }, lookOf, product))}
          chosen={day}
          onChoose={(one) => select({ day: day === one ? '' : one, product })}
        />
        <ul class="costs-legend">
          {products.map((one, at) => (
            <li key={one.product}>
              <button
                type="button"
                class="plain"
                aria-pressed={product === one.product}
                onClick={() => select({ day, product: product === one.product ? '' : one.product })}
              >
                <span class={`barchart-swatch ${lookOf.get(one.product)}`} />
                {one.product} <small>{`${amountText(totals[at] ?? 0n, places)} ${unit}`}</small>
              </button>
            </li>
          ))}
        </ul>
      </div>
      <HeadActions>
        <Button text="Download CSV" look="plain" onPress={() => perform(() => downloadCsv(chosen))} />
      </HeadActions>
      <div class="bar">
        <p>{selectionText(shown.chosen)}</p>
        {(day !== '' || product !== '') && (
          <Button text="Show all" look="plain" onPress={() => select({ day: '', product: '' })} />
        )}
      </div>
      <GroupedCosts
        costs={shown.costs}
        chosen={chosen}
        choose={choose}
        {...{ unit, places, models, isOpen: isOpen(shown.chosen.day ?? month) }}
      />
    </>
  );
}

// All resources of the selection, ungrouped.
async function downloadCsv({ month, day, product }: CostsQuestion): Promise<void> {
  const selection = { month, ...(day && { day }), ...(product && { product }), limit: mostInPage };
  let page = await readCosts(selection);
  const found = [...page.resources.items];
  while (page.resources.items.length === mostInPage) {
    page = await readCosts({ ...selection, offset: found.length });
    found.push(...page.resources.items);
  }
  downloadText(`costs-${day ?? month}.csv`, csvOf(found, page.currency));
}

const mostInPage = 1000;

function selectionText({ month, day, product }: CostsQuestion): string {
  const time = day === undefined ? ` in ${monthName(month)}` : ` on ${day}`;
  return `Costs${time}${isOpen(day ?? month) ? ' so far' : ''}${product === undefined ? '' : `: ${product}`}`;
}

const axisText = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 6 });

interface CurrencyFormat {
  unit: string;
  places: number;
}

function barOf(
  day: MonthCosts['days'][number],
  count: number,
  { unit, places }: CurrencyFormat,
  lookOf: ReadonlyMap<string, string>,
  only: string,
) {
  const costOf = (product: string): Amount => amountOf(day.products[product] ?? '0');
  const parts = [...lookOf]
    .filter(([product]) => only === '' || product === only)
    .map(([product, look]) => ({ look, value: amountNumber(costOf(product)) }));
  const number = Number(day.date.slice(-2));
  const month = monthName(day.date.slice(0, 7));
  const amount = only === '' ? amountOf(day.total) : costOf(only);
  return {
    key: day.date,
    label: `${number} ${month}: ${costText(amount, places)} ${unit}${isOpen(day.date) ? ' so far' : ''}`,
    tick: count <= 8 || number % 4 === 1 ? String(number) : '',
    parts,
  };
}
