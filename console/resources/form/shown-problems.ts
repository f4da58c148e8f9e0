// Shows the problems of a form.
import type { FormValue } from '../schema-form/form-value.ts';

// Runs after the problems are rendered: opens folded parts that have problems and focuses the first invalid field.
export function showProblems(box: HTMLFormElement | null, form: FormValue): void {
  setTimeout(() => {
    const fieldOf = (key: string) => box?.querySelector(`[data-place="${CSS.escape(key)}"]`);
    form.reportHidden((key) => fieldOf(key) != null);
    for (const key of Object.keys(form.problems.value)) {
      for (let at = fieldOf(key); at; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
    }
    box?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  });
}
