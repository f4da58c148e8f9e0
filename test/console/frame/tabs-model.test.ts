// Tests which tabs of a row are visible and which are in the menu.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { fittingTabs } from '../../../console/components/tabs/fitting-tabs.ts';

suite('a row of tabs', () => {
  const row = { widths: [100, 100, 100, 100], menuWidth: 80, current: 0 };
  test('shows all tabs if they fit, otherwise the first ones and a menu, and always the current one', () => {
    assert.deepEqual(fittingTabs({ ...row, room: 400 }), [0, 1, 2, 3]);
    assert.deepEqual(fittingTabs({ ...row, room: 399 }), [0, 1, 2]);
    assert.deepEqual(fittingTabs({ ...row, room: 379 }), [0, 1]);
    assert.deepEqual(fittingTabs({ ...row, room: 379, current: 3 }), [0, 3]);
    assert.deepEqual(fittingTabs({ ...row, room: 379, current: -1 }), [0, 1]);
    assert.deepEqual(fittingTabs({ ...row, room: 10, current: 2 }), [2]);
  });
});
