/** A Markdown table. Cells must not contain `|`. */
export function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(line)].join('\n');
}

/** US dollars: whole ones from 100, else cents; more digits for amounts below ten cents. */
export function usd(amount: number): string {
  if (amount >= 99.5) return `$${grouped(amount)}`;
  if (amount >= 0.095 || amount === 0) return `$${amount.toFixed(2)}`;
  return `$${amount.toFixed(3)}`;
}

/** US dollars for a million of what costs `amount` each. */
export function perMillion(amount: number): string {
  return `$${(amount * 1_000_000).toFixed(2)}`;
}

/** A whole number with separators between thousands. */
export function grouped(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Milliseconds below a second, else seconds. */
export function duration(ms: number): string {
  return ms < 999.5 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
