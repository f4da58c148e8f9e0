// Usual sizes of a new resource. Each button sets several properties at once.
import { Button } from '../../components/button.tsx';
import type { ResourceModel } from '../model.ts';
import type { FormValue } from '../schema-form/form-value.ts';
import type { Size } from './form-start.ts';
import { kindOf } from './kinds.ts';
import { startOf } from './nested-resources.tsx';

export function Sizes({ model, form }: { model: ResourceModel; form: FormValue }) {
  const start = startOf(model);
  if (!start?.sizes || kindOf(start, form.value.value)) return null;
  const isChosen = ({ properties }: Size): boolean =>
    Object.entries(properties).every(([name, value]) => form.at(['properties', name]) === value);
  return (
    <fieldset class="sizes">
      <legend>Size</legend>
      {start.sizes.map((one) => (
        <Button
          key={one.title}
          text={one.title}
          look="plain"
          isPressed={isChosen(one)}
          onPress={() => {
            for (const [name, value] of Object.entries(one.properties)) form.set(['properties', name], value);
          }}
        />
      ))}
    </fieldset>
  );
}
