import type { Plot } from '../bench.ts';
import { cellText } from '../result-text.ts';

const width = 760;
const labelWidth = 270;
const valueWidth = 70;
const barsWidth = width - labelWidth - valueWidth;
const rowHeight = 24;
const barHeight = 14;
const headHeight = 44;
const footHeight = 40;

/** Colours of the groups, readable on a light and on a dark page. */
const colours = ['#3b7dd8', '#c2570c', '#2f8f5b', '#8a5cd1', '#b5365f'];

const style = [
  'text{font:13px system-ui,sans-serif;fill:#1f2328}',
  '.title{font-weight:600;font-size:15px}',
  '.axis,.limit-label{font-size:12px}',
  '.grid{stroke:#d0d7de}',
  '.limit{stroke:#1f2328;stroke-dasharray:4 3}',
  '@media (prefers-color-scheme:dark){text{fill:#e6edf3}.grid{stroke:#3d444d}.limit{stroke:#e6edf3}}',
].join('');

/** A bar chart with a value at each bar, as an SVG document without scripts or fonts. */
export function plotSvg(plot: Plot): string {
  const groups = groupsOf(plot);
  const top = headHeight + legendRows(groups) * rowHeight;
  const height = top + plot.bars.length * rowHeight + footHeight;
  const scale = scaleOf(plot);
  const parts = [
    `<title id="title">${escapeXml(plot.title)}</title>`,
    `<desc id="desc">${escapeXml(descriptionOf(plot))}</desc>`,
    `<style>${style}</style>`,
    text(0, 20, plot.title, 'class="title"'),
    ...legend(groups),
    ...grid(scale, top, plot),
    ...plot.bars.flatMap((bar, index) => barParts(bar, groups, scale, top + index * rowHeight)),
    ...limitLines(plot, scale, top),
  ];
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  const open = `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-labelledby="title desc">`;
  return [open, ...parts, '</svg>', ''].join('\n');
}

function groupsOf({ bars }: Plot): readonly string[] {
  return [...new Set(bars.flatMap(({ group }) => group ?? []))];
}

/** All values in words, for readers who do not see the bars. */
function descriptionOf({ bars, unit, limits = [] }: Plot): string {
  const values = bars.map(({ label, value, group }) => {
    const name = group === undefined ? label : `${label}, ${group}`;
    return `${name}: ${cellText(value)} ${unit}`;
  });
  const budgets = limits.map(({ label, value }) => `budget for ${label}: ${cellText(value)} ${unit}`);
  return [...values, ...budgets].join('; ');
}

type Scale = { readonly ticks: readonly number[]; readonly x: (value: number) => number };

/** Ticks at 1, 2 or 5 times a power of ten, up to the largest value. */
function scaleOf({ bars, limits = [] }: Plot): Scale {
  const largest = Math.max(...bars.map(({ value }) => value), ...limits.map(({ value }) => value), 0) || 1;
  const rough = largest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough) ?? rough;
  const count = Math.ceil(largest / step - 1e-9);
  const ticks = Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
  const end = count * step;
  return { ticks, x: (value) => labelWidth + (value / end) * barsWidth };
}

/** Groups in one row of the legend. */
const legendColumns = 3;

const legendRows = (groups: readonly string[]): number =>
  groups.length < 2 ? 0 : Math.ceil(groups.length / legendColumns);

function legend(groups: readonly string[]): readonly string[] {
  if (groups.length < 2) return [];
  return groups.flatMap((group, index) => {
    const x = (index % legendColumns) * Math.floor(width / legendColumns);
    const y = headHeight - 10 + Math.floor(index / legendColumns) * rowHeight;
    return [
      `<rect x="${x}" y="${y}" width="12" height="12" fill="${colourOf(index)}"/>`,
      text(x + 18, y + 11, group, 'class="axis"'),
    ];
  });
}

function grid({ ticks, x }: Scale, top: number, { bars, unit }: Plot): readonly string[] {
  const bottom = top + bars.length * rowHeight;
  const lines = ticks.flatMap((tick) => [
    `<line class="grid" x1="${round(x(tick))}" y1="${top}" x2="${round(x(tick))}" y2="${bottom}"/>`,
    text(x(tick), bottom + 16, cellText(tick) ?? '', 'class="axis" text-anchor="middle"'),
  ]);
  return [...lines, text(labelWidth + barsWidth / 2, bottom + 34, unit, 'class="axis" text-anchor="middle"')];
}

function barParts(
  { label, value, group }: Plot['bars'][number],
  groups: readonly string[],
  { x }: Scale,
  top: number,
): readonly string[] {
  const middle = top + rowHeight / 2 + 4.5;
  const end = Math.max(x(value), labelWidth);
  const colour = colourOf(group === undefined ? 0 : groups.indexOf(group));
  const box = `x="${labelWidth}" y="${top + (rowHeight - barHeight) / 2}" height="${barHeight}"`;
  return [
    text(labelWidth - 10, middle, label, 'text-anchor="end"'),
    `<rect ${box} width="${round(end - labelWidth)}" fill="${colour}"/>`,
    text(end + 6, middle, cellText(value) ?? ''),
  ];
}

function limitLines({ bars, limits = [] }: Plot, { x }: Scale, top: number): readonly string[] {
  const bottom = top + bars.length * rowHeight;
  return limits.flatMap(({ label, value }) => [
    `<line class="limit" x1="${round(x(value))}" y1="${top - 4}" x2="${round(x(value))}" y2="${bottom}"/>`,
    text(x(value), top - 8, label, 'class="limit-label" text-anchor="middle"'),
  ]);
}

function text(x: number, y: number, content: string, attributes = ''): string {
  const more = attributes === '' ? '' : ` ${attributes}`;
  return `<text x="${round(x)}" y="${round(y)}"${more}>${escapeXml(content)}</text>`;
}

const colourOf = (index: number): string => colours[index % colours.length] ?? '#3b7dd8';

const round = (value: number): number => Number(value.toFixed(1));

function escapeXml(content: string): string {
  return content
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
