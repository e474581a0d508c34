import { describe, expect, it } from 'vitest';
import { pageText } from '../../support/docs/page-blocks.ts';

const oneLine = (page: string): string => pageText(page).replaceAll(/\s+/g, ' ');
const page = oneLine('../operating/for-platforms.md');
const costs = oneLine('../operating/costs.md');
const scaling = oneLine('../scaling.md');

/** The figures in dollars that a pattern captures. @throws Error if the page does not have them */
function figures(text: string, pattern: RegExp): readonly number[] {
  const found = pattern.exec(text);
  if (found === null) throw new Error(`The page has no ${pattern}`);
  return found.slice(1).map(Number);
}

describe('the costs in docs/operating/for-platforms.md', () => {
  it('are those of the pages about costs and scaling, and add up', () => {
    const [idle = 0] = figures(costs, /idle stage costs about \$([\d.]+) a month/);
    const [event = 0] = figures(scaling, /\| \*\*Together\*\* \| \*\*\$([\d.]+)/);
    const [decryption = 0] = figures(scaling, /asks KMS for a secret .*? at \$([\d.]+) for a million requests/);
    const [request = 0, line = 0] = figures(costs, /A million requests to the API \| \$([\d.]+), and \$([\d.]+) for/);
    const [metrics = 0] = figures(costs, /at most \$([\d.]+) a month\]/);
    const [audit = 0] = figures(costs, /\$([\d.]+) for the metrics of the audit/);
    const parts = [idle, event, 0.2 * event, 1.2 * decryption, request + line, metrics - audit];

    const shown = [...page.matchAll(/\| (?:\*\*)?\$([\d.]+)(?:\*\*)? \|/g)].map(([, dollars]) => dollars);
    const sum = parts.reduce((total, part) => total + part, 0);
    expect(shown).toEqual([...parts, sum].map((dollars) => dollars.toFixed(2)));
  });
});
