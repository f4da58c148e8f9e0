// The price list in the form of the API. With `countedAs` and `per`, clients can convert marks to quantities and
// compute costs by themselves.
import type { Values } from '../../base/json.ts';
import type { PriceList } from '../prices/price-list.ts';

const liability = 'These are the prices of a private region. They are only as accurate as its price list.';

export const productsReport = ({ prices, currency }: PriceList, metadata: Values): Values => ({
  metadata,
  liability,
  products: prices.map(({ meterId, description, productGroup, unit, price, kind, meters, perMinutes, perAmount }) => ({
    meterId,
    meterDesc: description,
    deprecated: false,
    unit,
    type: 'consumption-based',
    term: null,
    unitCost: { quantity: price, unit: currency },
    productGroup,
    countedAs: { kind, meters },
    per: { minutes: perMinutes, amount: perAmount },
  })),
});
