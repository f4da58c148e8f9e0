// A field that is written as text and may stand for no value. With the field its text is gone.
import { useLayoutEffect } from 'preact/hooks';
import type { FormValue, Place } from './form-value.ts';

export function useUnreadable(form: FormValue, place: Place): (problem: string | undefined) => void {
  useLayoutEffect(() => () => form.cannotRead(place, undefined), []);
  return (problem) => form.cannotRead(place, problem);
}
