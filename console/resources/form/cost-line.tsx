// The cost of the resource with the current form values, if the price list has a price for it.
import type { Values } from '../../../src/base/values.ts';
import { costOf } from '../../costs/estimate.ts';
import type { ResourceModel } from '../model.ts';
import type { FormValue, Json } from '../schema-form/form-value.ts';

export function CostLine({ model, form }: { model: ResourceModel; form: FormValue }) {
  const value = form.value.value as Record<string, Json>;
  const cost = costOf(model.name, (value.properties ?? value) as Values, volumesIn(value));
  if (!cost) return null;
  return (
    <p class="cost-line" role="status">
      <strong>
        {cost.perMonth} {cost.currency}
      </strong>{' '}
      in 30 days, {cost.perHour} {cost.currency} an hour
      {cost.notes.map((note) => (
        <small key={note}>{note}</small>
      ))}
    </p>
  );
}

// The volumes that are created with a server.
function volumesIn({ entities }: Record<string, Json>): (readonly [string, Values])[] {
  const items = (entities as { volumes?: { items?: { properties: Values }[] } } | undefined)?.volumes?.items ?? [];
  return items.map(({ properties }) => ['volume', properties] as const);
}
