import type { BenchTable, Cell } from '../bench.ts';
import { cellText } from '../result-text.ts';

const lineLength = 120;

/** A paragraph in lines of at most 120 characters. @param indent of the lines after the first */
export function paragraph(content: string, first = '', indent = ''): string {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of content.split(' ')) {
    if (!isEmpty && line.length + 1 + word.length > lineLength) {
      lines.push(line);
      line = indent;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].join('\n');
}

export function bulletList(items: readonly string[]): string {
  return items.map((item) => paragraph(item, '- ', '  ')).join('\n');
}

/** A table with numbers aligned to the right. */
export function markdownTable({ columns, rows }: Pick<BenchTable, 'columns' | 'rows'>): string {
  const isNumeric = columns.map((_, index) => rows.every((row) => typeof row[index] !== 'string'));
  return [
    rowText(columns),
    `|${isNumeric.map((numeric) => (numeric ? '---:' : '---')).join('|')}|`,
    ...rows.map((row) => rowText(row)),
  ].join('\n');
}

function rowText(cells: readonly Cell[]): string {
  return `| ${cells.map((cell) => (cellText(cell) ?? '').replaceAll('|', '\\|')).join(' | ')} |`;
}
