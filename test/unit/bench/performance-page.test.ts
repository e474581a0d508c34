import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { BenchResult, Plot } from '../../../bench/bench.ts';
import { markdownTable, paragraph } from '../../../bench/page/markdown.ts';
import { plotSvg } from '../../../bench/page/plot-svg.ts';
import { renderPage } from '../../../bench/page/render-page.ts';
import { type Machine, readResults, saveResults } from '../../../bench/page/results.ts';

const docs = new URL('../../../docs/', import.meta.url);
const machine: Machine = { cores: 2, memoryGb: 24, cpu: 'A processor', node: '24.0.0', load: 0.5 };
const measuredOn = { date: '2026-11-22', machine };
const result: BenchResult = { tables: [], figures: { one: 1 } };

async function newResultsFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'results-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'results.json');
}

describe('docs/performance.md', () => {
  it('the page and its plots are what the saved results render: npm run bench -- --page', async () => {
    const rendered = renderPage(await readResults());
    const plots = globSync('performance/*.svg', { cwd: docs });

    const committed = Object.keys(rendered).map((path) => [path, readFileSync(new URL(path, docs), 'utf8')]);
    expect(Object.fromEntries(committed)).toEqual(rendered);
    expect(['performance.md', ...plots].toSorted()).toEqual(Object.keys(rendered).toSorted());
  });

  it('the saved results name no host and no path', () => {
    const text = readFileSync(new URL('performance/results.json', docs), 'utf8');

    expect(text).not.toMatch(/"\/|hostname|\/(tmp|home|Users)\//);
  });
});

describe('renderPage()', () => {
  it('shows each saved budget with its verdict, and no section without a result', () => {
    const figures = { 'burst.writeUnits': 5, 'burst.readUnits': 1.6 };

    const { 'performance.md': page = '' } = renderPage({
      units: { ...measuredOn, result: { tables: [], figures } },
    });

    expect(page).toContain('| DynamoDB write units for an event, in a burst | 5 | at most 5 | yes |');
    expect(page).toContain('| DynamoDB read units for an event, in a burst | 1.6 | at most 1.5 | no |');
    expect(page.match(/^## .*$/gm)).toEqual([
      '## At a glance',
      '## Units and price of an event',
      '## Other webhook services',
      '## Measure again',
    ]);
  });
});

describe('saveResults()', () => {
  it('replaces the result of a benchmark and keeps those of others', async () => {
    const file = await newResultsFile();

    await saveResults({ first: result, second: result }, measuredOn, file);
    await saveResults(
      { second: { ...result, figures: { two: 2 } } },
      { ...measuredOn, date: '2026-11-23' },
      file,
    );

    const { first, second } = await readResults(file);
    expect(first).toMatchObject({ date: '2026-11-22', machine, result: { figures: { one: 1 } } });
    expect(second).toMatchObject({ date: '2026-11-23', result: { figures: { two: 2 } } });
  });

  it('saves what was never reached as an empty cell, and without a figure or a bar', async () => {
    const late = Number.POSITIVE_INFINITY;
    const bars = [{ label: 'never', value: late }];

    const saved = await saveResults(
      {
        late: {
          tables: [{ title: 'Times', columns: ['p99'], rows: [[late]] }],
          figures: { late },
          plots: [{ id: 'late', title: 'Late', unit: 'ms', bars }],
        },
      },
      measuredOn,
      await newResultsFile(),
    );

    expect(saved.late?.result).toEqual({
      tables: [{ title: 'Times', columns: ['p99'], rows: [[null]] }],
      figures: {},
      plots: [{ id: 'late', title: 'Late', unit: 'ms', bars: [] }],
    });
  });
});

describe('plotSvg()', () => {
  const plot: Plot = {
    id: 'times',
    title: 'Times < 1 & more',
    unit: 'ms',
    bars: [
      { label: 'quick', value: 2, group: 'this' },
      { label: 'slow', value: 8, group: 'other' },
    ],
    limits: [{ label: 'all', value: 5 }],
  };

  it('names itself and all its values for readers who do not see it', () => {
    const svg = plotSvg(plot);

    expect(svg).toContain('role="img" aria-labelledby="title desc"');
    expect(svg).toContain('<title id="title">Times &lt; 1 &amp; more</title>');
    expect(svg).toContain('quick, this: 2 ms; slow, other: 8 ms; budget for all: 5 ms</desc>');
  });

  it('draws bars in proportion, each with its value, and adapts to a dark page', () => {
    const svg = plotSvg(plot);
    const widths = [...svg.matchAll(/height="14" width="([\d.]+)"/g)].map(([, width]) => Number(width));

    expect(widths).toHaveLength(2);
    expect((widths[1] ?? 0) / (widths[0] ?? 0)).toBeCloseTo(4);
    expect(svg).toContain('>8</text>');
    expect(svg).toContain('prefers-color-scheme:dark');
  });

  it('draws a plot without bars and with values of 0', () => {
    expect(plotSvg({ ...plot, bars: [], limits: [] })).toContain('</svg>');
    expect(plotSvg({ ...plot, bars: [{ label: 'none', value: 0 }], limits: [] })).not.toContain('NaN');
  });
});

describe('markdownTable(), paragraph()', () => {
  it('aligns columns of numbers to the right and escapes separators', () => {
    const rows = [
      ['a | b', 1.23456],
      ['c', null],
    ];

    expect(markdownTable({ columns: ['name', 'ms'], rows })).toBe(
      '| name | ms |\n|---|---:|\n| a \\| b | 1.23 |\n| c |  |',
    );
  });

  it('breaks lines at 120 characters and indents those after the first', () => {
    const lines = paragraph('word '.repeat(60).trim(), '- ', '  ').split('\n');

    expect(lines.every((line) => line.length <= 120)).toBe(true);
    expect(lines[1]).toMatch(/^ {2}word/);
    expect(lines.join(' ').match(/word/g)).toHaveLength(60);
  });
});
