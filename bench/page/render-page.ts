import type { BenchTable, Plot } from '../bench.ts';
import { cellText } from '../result-text.ts';
import { shownHighlights } from './highlights.ts';
import { bulletList, markdownTable, paragraph } from './markdown.ts';
import { peers } from './peers.ts';
import { plotSvg } from './plot-svg.ts';
import type { SavedResult, SavedResults } from './results.ts';
import { type Section, sections } from './sections.ts';

/** The contents of docs/performance.md and of the plots beside it, by path below `docs`. */
export function renderPage(results: SavedResults): Readonly<Record<string, string>> {
  const shown = sections.flatMap((section) => {
    const saved = results[section.benchmark];
    return saved === undefined ? [] : [{ section, saved }];
  });
  const blocks = [
    '# Performance',
    paragraph(
      'What an event costs and how fast it is delivered, measured by `npm run bench` on the local stack, which runs the ' +
        'deployed bundles on emulators of AWS. Compare ratios, units and CPU time; other times depend on the machine. ' +
        'Nothing here was measured on AWS. [Scaling](scaling.md) says what limits a deployed stage.',
    ),
    '## At a glance',
    glance(results),
    ...shown.flatMap(({ section, saved }) => sectionBlocks(section, saved)),
    `## ${peers.title}`,
    ...tableBlocks(peers),
    '## Measure again',
    paragraph(
      '`npm run bench -- cold-start --save` measures again and writes this page and its plots; every other section has ' +
        'its own command above. `npm run bench -- --page` writes them from ' +
        '[the saved results](performance/results.json) alone.',
    ),
  ];
  const plots = shown.flatMap(({ saved }) => saved.result.plots ?? []);
  return {
    'performance.md': `${blocks.join('\n\n')}\n`,
    ...Object.fromEntries(plots.map((plot) => [plotPath(plot), plotSvg(plot)])),
  };
}

const plotPath = ({ id }: Plot): string => `performance/${id}.svg`;

function glance(results: SavedResults): string {
  const rows = shownHighlights(results).map(({ what, benchmark, value, unit, budget }) => [
    what,
    `${cellText(value)} ${unit}`.trim(),
    budget === undefined ? '' : `at most ${cellText(budget)}`,
    budget === undefined ? '' : verdict(value, budget),
    `[${benchmark}](#${anchorOf(benchmark)})`,
  ]);
  return markdownTable({ columns: ['', 'measured', 'budget', 'met', 'benchmark'], rows });
}

/** A value counts as shown: three digits. */
function verdict(value: number, budget: number): string {
  return Number(cellText(value)) <= budget ? 'yes' : 'no';
}

function anchorOf(benchmark: string): string {
  const { heading = '' } = sections.find((section) => section.benchmark === benchmark) ?? {};
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}

function sectionBlocks({ benchmark, heading, text }: Section, saved: SavedResult): readonly string[] {
  const { tables, plots = [] } = saved.result;
  return [
    `## ${heading}`,
    paragraph(text),
    ...plots.map((plot) => `![${plot.title}](${plotPath(plot)})`),
    ...tables.flatMap((table) => [
      ...(tables.length > 1 ? [`### ${table.title}`] : []),
      ...tableBlocks(table),
    ]),
    paragraph(`${measuredOn(saved)} Measure again: \`npm run bench -- ${benchmark} --save\`.`),
  ];
}

function tableBlocks({ columns, rows, notes = [] }: BenchTable): readonly string[] {
  return [markdownTable({ columns, rows }), ...(notes.length === 0 ? [] : [bulletList(notes)])];
}

function measuredOn({ date, machine }: SavedResult): string {
  const { cores, memoryGb, cpu, node, load } = machine;
  return (
    `Measured on ${date} with ${cores} cores (${cpu}), ${memoryGb} GB of memory and Node.js ${node}; ` +
    `the load average before it was ${load}.`
  );
}
