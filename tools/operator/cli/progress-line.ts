import type { Output, OutputOptions } from './output.ts';

export type ProgressText = { readonly count: number; readonly line: string };

const toLineStart = '\r\u001b[K';

/** On a terminal, one line that is drawn again; elsewhere, a line whenever the count has changed. */
export function progressLine(print: Output, isTerminal: boolean) {
  let last: string | null = null;
  const show = ({ count, line }: ProgressText): void => {
    const key = isTerminal ? line : String(count);
    if (key === last) return;
    last = key;
    print(isTerminal ? `${toLineStart}${line}` : `${line}\n`);
  };
  /** Ends the line, so that other output begins on its own line. */
  const end = (): void => {
    if (isTerminal && last !== null) print('\n');
    last = null;
  };
  return { show, end };
}

/** A line on standard error, only if that is a terminal and a person reads the result. */
export function terminalProgress({ json }: OutputOptions) {
  const isShown = json !== true && process.stderr.isTTY === true;
  return progressLine(isShown ? (text) => process.stderr.write(text) : () => {}, true);
}
