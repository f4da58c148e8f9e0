// What a thing will cost as it stands in the form, where the price list has a price for it.
import type { OperationModel, ResourceModel } from './model.ts';
import type { FormValue } from './schema-form/form-value.ts';

export interface CostLineProps {
  model: ResourceModel;
  operation: OperationModel;
  form: FormValue;
}

export const CostLine = (_: CostLineProps) => null;
