// The price list as the API shows it. `countedAs` and `per` tell clients how marks become quantities, so that they can
// compute costs by themselves.
import type { Values } from '../../base/json.ts';
import type { PriceList } from '../prices/price-list.ts';

const liability = 'These are the prices of a region of your own: they are as good as its price list.';

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
