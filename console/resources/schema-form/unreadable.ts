// Marks a text field whose content can't be parsed. Removing the field removes the mark.
import { useLayoutEffect } from 'preact/hooks';
import type { FormValue, Place } from './form-value.ts';

export function useUnreadable(form: FormValue, place: Place): (problem: string | undefined) => void {
  useLayoutEffect(() => () => form.markUnreadable(place, undefined), []);
  return (problem) => form.markUnreadable(place, problem);
}
