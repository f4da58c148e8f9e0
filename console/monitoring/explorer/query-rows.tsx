// The expressions of a plot, one row each, with syntax errors marked. Enter runs the queries, Shift+Enter starts a new
// line.
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { sentencesOf } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { ExpressionProblem } from '../../components/expression-problem.tsx';
import { Labelled, TextInput } from '../../components/field.tsx';
import type { ExplorerModel, QueryRow } from './explorer-model.ts';
import { placeOf, plainProblem } from './expression.ts';

export function QueryRows({ model }: { model: ExplorerModel }) {
  const list = useRef<HTMLDivElement>(null);
  const rows = model.rows.value;
  const focusRow = (at: number): void => list.current?.querySelectorAll('textarea')[at]?.focus();
  const count = useRef(rows.length);
  useLayoutEffect(() => {
    if (rows.length > count.current && rows.at(-1)?.isEmpty) focusRow(rows.length - 1);
    count.current = rows.length;
  }, [rows]);
  const remove = (row: QueryRow, at: number): void => {
    focusRow(Math.max(0, at - 1) === at ? 1 : at - 1); // before the row disappears with its focus
    model.removeRow(row);
  };
  return (
    <div class={rows.length === 1 ? 'queries single' : 'queries'} ref={list}>
      {rows.map((row, at) => (
        <Row key={row.id} row={row} model={model} onRemove={() => remove(row, at)} />
      ))}
    </div>
  );
}

function Row({ row, model, onRemove }: { row: QueryRow; model: ExplorerModel; onRemove(): void }) {
  const problemId = useId();
  const isWrong = row.problem.value !== undefined;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    model.ask();
  };
  const onInput = (text: string): void => {
    row.expression.value = text;
    row.problem.value = undefined;
    model.endChoice();
  };
  return (
    <div class="query">
      <Labelled title="Expression" class="field wide">
        {(id) => (
          <>
            <textarea
              id={id}
              class="code"
              rows={Math.min(12, row.expression.value.split('\n').length)}
              spellcheck={false}
              autocomplete="off"
              aria-describedby={problemId}
              aria-invalid={isWrong || undefined}
              value={row.expression.value}
              onKeyDown={onKeyDown}
              onInput={({ currentTarget }) => onInput(currentTarget.value)}
            />
            <div class="problem" id={problemId} aria-live="polite">
              {isWrong && <Problem expression={row.expression.value} error={row.problem.value} />}
            </div>
          </>
        )}
      </Labelled>
      <Labelled title="Legend">
        {(id) => <TextInput id={id} placeholder="{{job}}" value={row.legend} onChange={() => model.ask()} />}
      </Labelled>
      <Button text="Remove" look="plain" label="Remove expression" onPress={onRemove} />
    </div>
  );
}

function Problem({ expression, error }: { expression: string; error: unknown }) {
  const message = sentencesOf(error).join(' ');
  const place = placeOf(expression, message);
  return <ExpressionProblem message={plainProblem(message)} place={place} />;
}
