// The properties of a body or an answer as a list that opens level by level.
import type { ApiDocument, Schema } from './document.ts';
import { resolved } from './document.ts';

interface SchemaProps {
  document: ApiDocument;
  schema: Schema;
  isSent: boolean; // by the caller: required properties are marked
  isWithin?: boolean; // within another schema
}

export function SchemaView({ document, schema, isSent, isWithin = false }: SchemaProps) {
  const own = contentOf(document, schema);
  const properties = Object.entries(own.properties ?? {});
  if (properties.length === 0) return <p class="type">{typeText(document, schema)}</p>;
  return (
    <ul class="schema">
      {properties.map(([name, property]) => (
        <PropertyRow
          key={name}
          name={name}
          document={document}
          schema={resolved(document, property)}
          isSent={isSent}
          isWithin={isWithin}
          isRequired={isSent && own.required?.includes(name) === true}
        />
      ))}
    </ul>
  );
}

type RowProps = SchemaProps & { name: string; isRequired: boolean };

function PropertyRow({ name, document, schema, isRequired, isSent, isWithin = false }: RowProps) {
  const line = (
    <>
      <code>{name}</code> {isRequired && <b>required</b>} <span class="type">{typeText(document, schema)}</span>
      {schema.description && <span class="about"> {schema.description}</span>}
    </>
  );
  const hasMore = Object.keys(contentOf(document, schema).properties ?? {}).length > 0;
  if (!hasMore) return <li>{line}</li>;
  return (
    <li>
      <details open={isSent && !isWithin}>
        <summary>{line}</summary>
        <SchemaView document={document} schema={schema} isSent={isSent} isWithin />
      </details>
    </li>
  );
}

// For a list, the schema of its elements.
function contentOf(document: ApiDocument, schema: Schema): Schema {
  const { items, ...own } = resolved(document, schema);
  return items ? contentOf(document, items) : own;
}

function typeText(document: ApiDocument, schema: Schema): string {
  const own = resolved(document, schema);
  return [typeName(document, own), boundsText(own), own.readOnly ? 'read-only' : ''].filter(Boolean).join(', ');
}

function typeName(document: ApiDocument, { type, items, enum: words, const: only, anyOf, format }: Schema): string {
  if (only !== undefined) return JSON.stringify(only);
  if (words) return words.map((word) => JSON.stringify(word)).join(' | ');
  if (anyOf) return anyOf.map((one) => typeText(document, one)).join(' or ');
  const names = (Array.isArray(type) ? type : [type ?? 'any']).map((name) => {
    if (name === 'array' && items) return `list of ${typeName(document, resolved(document, items))}`;
    return format && name !== 'null' ? `${name} (${format})` : name;
  });
  return names.join(' | ');
}

function boundsText({ minimum, maximum, minLength, maxLength, minItems, maxItems, ...rest }: Schema): string {
  const [low, high] = [minimum ?? minLength ?? minItems, maximum ?? maxLength ?? maxItems];
  const unit = (minLength ?? maxLength) !== undefined ? ' characters' : '';
  const range = low === undefined && high === undefined ? '' : `${low ?? ''}…${high ?? ''}${unit}`;
  const { multipleOf, default: usual } = rest;
  return [
    range,
    multipleOf === undefined ? '' : `in steps of ${multipleOf}`,
    usual === undefined || usual === null ? '' : `${JSON.stringify(usual)} by default`,
  ]
    .filter(Boolean)
    .join(', ');
}
