// The invoices of the contract, with a dialog for the lines of each.
import { Button } from '../components/button.tsx';
import { Dialog, openDialog } from '../components/dialog.tsx';
import { useResource } from '../components/resource.ts';
import { Loaded } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { Badge, Noted, Section } from '../components/text.tsx';
import { type Invoice, type InvoiceSummary, readInvoice } from './billing-api.ts';
import { quantityText } from './costs-model.ts';

export interface InvoicesSectionProps {
  invoices: readonly InvoiceSummary[];
  running: string; // the running month: 2026-12
}

const isOpen = ({ date }: InvoiceSummary, running: string): boolean => date.startsWith(running);

export const InvoicesSection = ({ invoices, running }: InvoicesSectionProps) => (
  <Section title="Invoices">
    <Table
      caption="Invoices"
      rows={invoices}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Invoice', look: 'code', cell: ({ id }) => id },
        {
          title: 'Date',
          cell: (one) =>
            isOpen(one, running) ? <Noted note="after the end of the month">{one.date}</Noted> : one.date,
        },
        {
          title: 'Amount',
          look: 'number',
          cell: (one) => (
            <>
              {one.amount === null ? 'open' : `${one.amount.toFixed(2)} ${one.unit}`}{' '}
              {isOpen(one, running) && <Badge look="waits" text="So far" />}
            </>
          ),
        },
        {
          title: 'Actions',
          look: 'buttons',
          cell: ({ id }) => (
            <Button text="Lines" look="plain" label={`Lines of ${id}`} onPress={() => openInvoice(id)} />
          ),
        },
      ]}
    />
  </Section>
);

const openInvoice = (id: string): void =>
  openDialog((close) => (
    <Dialog title={`Invoice ${id}`} close={close}>
      <InvoiceLines id={id} />
      <Button text="Close" look="plain" onPress={close} />
    </Dialog>
  ));

function InvoiceLines({ id }: { id: string }) {
  const invoice = useResource((signal) => readInvoice(id, signal));
  return (
    <Loaded resource={invoice} what="the invoice">
      {(value) => <Lines invoice={value} />}
    </Loaded>
  );
}

const Lines = ({ invoice: { metadata, datacenters, total } }: { invoice: Invoice }) => (
  <div class="costs-invoice">
    <p>
      <Badge look={metadata.finallyPosted ? 'good' : 'waits'} text={metadata.finallyPosted ? 'Closed' : 'So far'} />{' '}
      {!metadata.finallyPosted && 'The month is still running, so the amounts can increase.'}
    </p>
    {datacenters.map(({ id, name, meters }) => (
      <section key={id} aria-label={name}>
        <h3>{name}</h3>
        <dl>
          {meters.map(({ meterId, meterDesc, quantity, rate, amount }) => (
            <div key={meterId}>
              <dt>
                {meterDesc}{' '}
                <small>
                  {quantityText(quantity.quantity)} × {rate.quantity} {rate.unit}
                </small>
              </dt>
              <dd>
                {amount.quantity.toFixed(2)} {amount.unit}
              </dd>
            </div>
          ))}
        </dl>
      </section>
    ))}
    <p class="costs-total">
      Total{!metadata.finallyPosted && ' so far'} {total.quantity.toFixed(2)} {total.unit}
    </p>
  </div>
);
