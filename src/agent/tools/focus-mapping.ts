// The mapping of the platform's billing data to FOCUS, the specification of cost and usage.

export const focusMapping = `# Billing data in terms of FOCUS 1.3

FOCUS (FinOps Open Cost and Usage Specification) names the columns of cost and usage data in the same way for all
providers. This is where each of them comes from here. \`C\` is the contract number, \`P\` a month.

| FOCUS column | Tool | Field |
|---|---|---|
| BillingAccountId | get_billing_profile | companies[].contractId |
| BillingCurrency | get_billing_invoice | total.unit (EUR) |
| BillingPeriodStart, BillingPeriodEnd | list_billing_utilization_by_period | start_date, end_date (of the last day) |
| InvoiceId | list_billing_invoices | invoices[].id |
| BilledCost | get_billing_invoice | datacenters[].meters[].amount.quantity, to the cent |
| EffectiveCost, ContractedCost, ListCost | get_billing_invoice | the same as BilledCost: there are no discounts or commitments |
| ListUnitPrice | list_billing_products | products[].unitCost.quantity |
| PricingQuantity, PricingUnit | get_billing_invoice | meters[].quantity.quantity, meters[].quantity.unit |
| ConsumedQuantity, ConsumedUnit | list_billing_utilization_by_period | meters[].quantity, meters[].unit |
| SkuId, SkuMeter | list_billing_products | products[].meterId, products[].meterDesc |
| ServiceName | list_billing_products | products[].productGroup |
| ServiceCategory | | Compute for servers and Cubes, Storage for volumes, snapshots and buckets, Networking for addresses, traffic, gateways and balancers |
| ResourceId, ResourceName, ResourceType | list_billing_utilization_by_period | meters[].resource_id, name, type |
| RegionId | list_billing_utilization_by_period | meters[].region |
| SubAccountId, SubAccountName | list_billing_utilization_by_period | datacenters[].id, datacenters[].name: a datacenter is the part that costs are split by |
| ChargeCategory | | Usage, for every row |
| ChargePeriodStart, ChargePeriodEnd | list_billing_evn_by_period | data[].from, data[].to: every interval to the minute |
| ProviderName, PublisherName | | not in the data |

An invoice of the current month is preliminary: \`metadata.finallyPosted\` is false. Quantities of different units must not
be added; \`group_by: "meter"\` adds up what has one unit.
`;
