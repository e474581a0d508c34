import { readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';

/** Names that shells and dotenv files take. */
export const variableName = /^[A-Za-z_]\w*$/;

/**
 * Sets a variable in a file of lines `NAME=value`, as dotenv and `node --env-file` read it. Keeps the other lines, and
 * makes the file readable by its owner only. Replaces it at once, so that no reader sees half of it. A link stays one.
 *
 * @param value without quotes, spaces, `#` and line breaks
 * @throws Error with the path when the file cannot be read or written
 */
export function setVariable(file: string, name: string, value: string): void {
  try {
    const target = ifExists(() => realpathSync(file)) ?? file;
    const text = ifExists(() => readFileSync(target, 'utf8')) ?? '';
    const temporary = `${target}.${process.pid}.tmp`;
    writeFileSync(temporary, withVariable(text, name, value), { mode: 0o600 });
    renameSync(temporary, target);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Cannot write ${name} to ${file}: ${reason}`, { cause });
  }
}

/** The last line of a name counts, so every earlier one would only mislead. */
function withVariable(text: string, name: string, value: string): string {
  const newLine = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
  const isOwn = (line: string): boolean => /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/.exec(line)?.[1] === name;
  const at = lines.findIndex(isOwn);
  const prefix = /^\s*export\s+/.exec(lines[at] ?? '')?.[0] ?? '';
  const others = lines.filter((line) => !isOwn(line));
  const set = `${prefix}${name}=${value}`;
  return [...others.toSpliced(at === -1 ? others.length : at, 0, set), ''].join(newLine);
}

function ifExists<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
