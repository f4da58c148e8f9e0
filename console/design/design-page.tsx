// The design tokens and the basic components, in both themes side by side.

import { Actions, Button } from '../components/button.tsx';
import { Table } from '../components/table.tsx';
import { Badge } from '../components/text.tsx';
import { declaredTokens, type Token, type TokenKind } from './tokens.ts';

const themes = ['light', 'dark'] as const;

export const DesignPage = () => {
  const tokens = declaredTokens();
  return (
    <div class="design">
      <h1 tabIndex={-1}>Design</h1>
      <p class="lead">The tokens of tokens.css and the basic components, in both themes.</p>
      <div class="design-themes">
        {themes.map((theme) => (
          <section key={theme} class={`design-theme ${theme}`} aria-label={`The ${theme} theme`}>
            <Samples tokens={tokens} />
          </section>
        ))}
      </div>
    </div>
  );
};

function Samples({ tokens }: { tokens: readonly Token[] }) {
  const of = (kind: TokenKind): readonly Token[] => tokens.filter((one) => one.kind === kind);
  return (
    <>
      <h2>Colours</h2>
      <Swatches tokens={of('colour')} />
      <h2>Chart lines</h2>
      <Swatches tokens={of('line')} />
      <h2>Text</h2>
      <ul class="design-list">
        {[...of('size'), ...of('font')].map(({ name, value, kind }) => (
          <li key={name}>
            <span style={kind === 'size' ? { fontSize: `var(${name})` } : { fontFamily: `var(${name})` }}>
              Servers 42
            </span>
            <code title={value}>{name}</code>
          </li>
        ))}
      </ul>
      <h2>Spaces, radii and elevation</h2>
      <ul class="design-list">
        {of('space').map(({ name, value }) => (
          <li key={name}>
            <span class="design-space" style={{ width: `var(${name})` }} />
            <code>{`${name} ${value}`}</code>
          </li>
        ))}
        {[...of('radius'), ...of('shadow')].map(({ name, kind }) => (
          <li key={name}>
            <span
              class="design-box"
              style={kind === 'radius' ? { borderRadius: `var(${name})` } : { boxShadow: `var(${name})` }}
            />
            <code>{name}</code>
          </li>
        ))}
      </ul>
      <h2>Components</h2>
      <Actions>
        <Button text="Create" onPress={() => undefined} />
        <Button text="Cancel" look="plain" onPress={() => undefined} />
        <Button text="Delete" look="danger" onPress={() => undefined} />
        <Button text="Disabled" disabled onPress={() => undefined} />
      </Actions>
      <Table
        caption="Badges"
        columns={[
          { title: 'Look', cell: ({ look }) => look },
          { title: 'Badge', cell: ({ look, text }) => <Badge look={look} text={text} /> },
        ]}
        rows={badges}
        keyOf={({ look }) => look}
      />
    </>
  );
}

const badges = [
  { look: 'good', text: 'AVAILABLE' },
  { look: 'here', text: 'Current' },
  { look: 'waits', text: 'BUSY' },
  { look: 'fires', text: 'FAILED' },
  { look: 'old', text: 'SHUTOFF' },
] as const;

const Swatches = ({ tokens }: { tokens: readonly Token[] }) => (
  <ul class="design-swatches">
    {tokens.map(({ name, value }) => (
      <li key={name}>
        <span class="design-box" style={{ background: `var(${name})` }} />
        <code title={value}>{name.slice(2)}</code>
      </li>
    ))}
  </ul>
);
