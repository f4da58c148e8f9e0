// The costs page: the month so far and its forecast, costs by product, day and resource, invoices and prices.
import { type Signal, useSignal } from '@preact/signals';
import { Bars } from '../components/bars.tsx';
import { Button } from '../components/button.tsx';
import { CommandLine } from '../components/command-line.tsx';
import type { Resource } from '../components/fetched.ts';
import { Select } from '../components/field.tsx';
import { useResource } from '../components/resource.ts';
import { Empty, Loaded } from '../components/states.tsx';
import { Section } from '../components/text.tsx';
import { regionNowMs } from '../region-clock.ts';
import { costs } from '../resources/client-commands/page-commands.ts';
import { knownModels, type Models } from '../resources/page-urls.ts';
import {
  type Cost,
  type InvoiceSummary,
  type Label,
  type Price,
  readCost,
  readDay,
  readInvoices,
  readLabels,
  readMonth,
  readPrices,
  type Utilization,
} from './billing-api.ts';
import {
  amountNumber,
  amountOf,
  amountText,
  costText,
  type Day,
  datesOf,
  dayOf,
  fitted,
  forecastOf,
  moneyText,
  periodOf,
  placesFor,
  pricesById,
  productsOf,
  resourcesOf,
} from './costs-model.ts';
import { GroupedCosts } from './grouped-costs.tsx';
import { InvoicesSection } from './invoices-section.tsx';
import { PricesSection } from './prices-section.tsx';

interface Known {
  cost: Cost;
  prices: readonly Price[];
  invoices: readonly InvoiceSummary[];
  models: Models;
  labels: readonly Label[];
}

interface Month {
  period: string;
  used: Utilization;
  days: readonly Day[];
  byDate: ReadonlyMap<string, Utilization>;
}

export function CostsPage() {
  const period = useSignal(periodOf(regionNowMs()));
  const known = useResource<Known>(async (signal) => {
    const now = periodOf(regionNowMs());
    const [cost, prices, invoices, models, labels, used] = await Promise.all([
      readCost(signal),
      readPrices(signal),
      readInvoices(signal),
      knownModels(),
      readLabels(signal),
      readMonth(now, signal),
    ]);
    const { total } = dayOf(now, used, pricesById(prices)); // exact, while the API returns cents
    const exact = { ...cost, total: { ...cost.total, quantity: amountText(total, 10) } };
    return { cost: exact, prices, invoices, models, labels };
  });
  return (
    <div class="costs">
      <h1 tabIndex={-1}>Costs</h1>
      <Loaded resource={known} what="the costs">
        {(value) => (
          <>
            <Summary cost={value.cost} />
            <MonthSection key={period.value} known={value} period={period} />
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

function MonthSection({ known, period }: { known: Known; period: Signal<string> }) {
  const prices = pricesById(known.prices);
  const month = useResource<Month>(async (signal) => {
    const dates = datesOf(period.value, regionNowMs());
    const [used, ...byDay] = await Promise.all([
      readMonth(period.value, signal),
      ...dates.map((date) => readDay(date, signal)),
    ]);
    const days = byDay.map((one, at) => dayOf(dates[at] ?? '', one, prices));
    const byDate = new Map(byDay.map((one, at) => [dates[at] ?? '', one]));
    return { period: period.value, used, days, byDate };
  });
  const choice = (
    <div class="costs-month-choice">
      <Select
        title="Month"
        value={period.value}
        options={periodsOf(known.invoices)}
        onChange={(one) => {
          period.value = one;
        }}
      />
    </div>
  );
  return (
    <Section title="Products and days" actions={choice}>
      <MonthChart month={month} known={known} />
    </Section>
  );
}

function MonthChart({ month, known }: { month: Resource<Month>; known: Known }) {
  const date = useSignal('');
  const product = useSignal('');
  return (
    <div class="costs-month">
      <Loaded resource={month} what="the usage">
        {({ used, days, byDate, period }) => {
          const products = productsOf(days);
          if (products.length === 0) return <Empty text={`No costs in ${monthName(period)}.`} />;
          const shown = date.value === '' ? used : (byDate.get(date.value) ?? used);
          const unit = known.cost.total.unit;
          const places = placesFor(products.reduce((sum, { total }) => sum + total, 0n));
          const totals = fitted(
            products.map(({ total }) => total),
            places,
          );
          const lookOf = new Map(products.map((one, at) => [one.product, `line-${at % 10}`]));
          return (
            <>
              <div class="panel">
                <Bars
                  label="Costs by day"
                  size="high"
                  axis={{ title: `${unit} per day`, text: axisText }}
                  bars={days.map((day) => barOf(day, days.length, { unit, places }, lookOf, product.value))}
                  chosen={date.value}
                  onChoose={(one) => {
                    date.value = date.value === one ? '' : one;
                  }}
                />
                <ul class="costs-legend">
                  {products.map((one, at) => (
                    <li key={one.product}>
                      <button
                        type="button"
                        class="plain"
                        aria-pressed={product.value === one.product}
                        onClick={() => {
                          product.value = product.value === one.product ? '' : one.product;
                        }}
                      >
                        <span class={`barchart-swatch ${lookOf.get(one.product)}`} />
                        {one.product} <small>{`${amountText(totals[at] ?? 0n, places)} ${unit}`}</small>
                      </button>
                    </li>
                  ))}
                </ul>
              </div>
              <div class="bar">
                <p>
                  Costs{date.value === '' ? ` in ${monthName(period)}` : ` on ${date.value}`}
                  {isOpen(date.value || period) && ' so far'}
                  {product.value !== '' && `: ${product.value}`}
                </p>
                {(date.value !== '' || product.value !== '') && (
                  <Button
                    text="Show all"
                    look="plain"
                    onPress={() => {
                      date.value = '';
                      product.value = '';
                    }}
                  />
                )}
              </div>
              <GroupedCosts
                labels={known.labels}
                isOpen={isOpen(date.value || period)}
                costs={resourcesOf(shown, pricesById(known.prices), product.value)}
                unit={unit}
                places={places}
                models={known.models}
              />
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

const axisText = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 6 });

interface CurrencyFormat {
  unit: string;
  places: number;
}

function barOf(
  day: Day,
  count: number,
  { unit, places }: CurrencyFormat,
  lookOf: ReadonlyMap<string, string>,
  only: string,
) {
  const parts = [...lookOf]
    .filter(([product]) => only === '' || product === only)
    .map(([product, look]) => ({ look, value: amountNumber(day.byProduct.get(product) ?? 0n) }));
  const number = Number(day.date.slice(-2));
  const month = monthName(day.date.slice(0, 7));
  const amount = only === '' ? day.total : (day.byProduct.get(only) ?? 0n);
  return {
    key: day.date,
    label: `${number} ${month}: ${costText(amount, places)} ${unit}${isOpen(day.date) ? ' so far' : ''}`,
    tick: count <= 8 || number % 4 === 1 ? String(number) : '',
    parts,
  };
}
