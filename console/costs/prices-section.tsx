// The price list of the region, searched by name.
import { useSignal } from '@preact/signals';
import { Labelled, TextInput } from '../components/field.tsx';
import { Empty } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { Section } from '../components/text.tsx';
import type { Price } from './billing-api.ts';
import { timeOfUnit } from './costs-model.ts';

export function PricesSection({ prices }: { prices: readonly Price[] }) {
  const word = useSignal('');
  const words = word.value.trim().toLowerCase();
  const found = prices.filter(({ meterDesc, productGroup, meterId }) =>
    `${meterDesc} ${productGroup} ${meterId}`.toLowerCase().includes(words),
  );
  return (
    <details class="costs-prices">
      <summary>Prices ({prices.length})</summary>
      <Section title="Price list">
        <Labelled title="Search">
          {(id) => <TextInput id={id} value={word} placeholder="core, SSD, traffic …" />}
        </Labelled>
        {found.length === 0 ? (
          <Empty text="No price matches the search." />
        ) : (
          <Table
            caption="Prices"
            rows={found}
            keyOf={({ meterId }) => meterId}
            columns={[
              { title: 'Item', cell: ({ meterDesc }) => meterDesc },
              { title: 'Product', cell: ({ productGroup }) => productGroup },
              { title: 'Price', look: 'number', cell: ({ unitCost }) => `${unitCost.quantity} ${unitCost.unit}` },
              { title: 'Per', cell: ({ unit }) => timeOfUnit(unit) || '–' },
              { title: 'Meter', look: 'code', cell: ({ meterId }) => meterId },
            ]}
          />
        )}
      </Section>
    </details>
  );
}
