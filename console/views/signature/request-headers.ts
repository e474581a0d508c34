/** Headers by their names in lower case. */
export type HeaderMap = ReadonlyMap<string, { readonly name: string; readonly value: string }>;

/** A line of a request, of `curl -v`, or of an object that a program printed. */
const line = /^[\s<>*]*["']?([\w-]+)["']?\s*:\s*(.*?)[\s,}]*$/;

/**
 * Reads headers as people paste them: a line for each, or an object in JSON. Other lines are left out; a header that is
 * there twice has both values, as a receiver sees them.
 */
export function parseHeaders(text: string): HeaderMap {
  const found = new Map<string, { name: string; value: string }>();
  for (const [name, value] of fromObject(text) ?? fromLines(text)) {
    const before = found.get(name.toLowerCase());
    found.set(name.toLowerCase(), before ? { name, value: `${before.value}, ${value}` } : { name, value });
  }
  return found;
}

type Pair = readonly [name: string, value: string];

function fromObject(text: string): readonly Pair[] | null {
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read !== 'object' || read === null) return null;
    return Object.entries(read).map(([name, value]) => [name, String(value)]);
  } catch {
    return null;
  }
}

function fromLines(text: string): readonly Pair[] {
  return text.split(/\r?\n/).flatMap((row) => {
    const [, name, value] = line.exec(row) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value.replace(/^(["'])(.*)\1$/, '$2')]];
  });
}
