// Initial values of a creation form that depend on other resources, such as a readable name that is not in use.
import { useLayoutEffect } from 'preact/hooks';
import { useAbortSignal } from '../../components/resource.ts';
import { extensionsOf } from '../extensions.ts';
import type { ResourceModel } from '../model.ts';
import type { FormValue } from '../schema-form/form-value.ts';

// A user who may not read the other resources gets no suggestions.
export function useSuggestions(
  form: FormValue,
  model: ResourceModel,
  params: Readonly<Record<string, string>>,
  isEmpty: boolean,
): void {
  const signal = useAbortSignal();
  useLayoutEffect(() => {
    const suggest = extensionsOf(model.name).find((one) => one.suggest)?.suggest;
    if (!suggest || !isEmpty || model.isReference) return;
    suggest(params, signal).then(
      (values) => {
        for (const [name, value] of Object.entries(values))
          if (form.at(['properties', name]) === undefined) form.begin(['properties', name], value);
      },
      () => undefined,
    );
  }, []);
}
