/** Headers of one connection, which RFC 9110 (7.6.1) and RFC 2616 (13.5.1) tell programs in between not to pass on. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** One header, with its name in the letter case of the sender. */
export type Header = readonly [name: string, value: string];

/** The headers of a message in their order, duplicates included. @param raw names and values in turn */
export function headerList(raw: readonly string[]): readonly Header[] {
  return Array.from(
    { length: Math.floor(raw.length / 2) },
    (_, index): Header => [raw[2 * index] ?? '', raw[2 * index + 1] ?? ''],
  );
}

/** The first value of a header whose lower-case name the test accepts. */
export function findHeader(headers: readonly Header[], test: (name: string) => boolean): string | undefined {
  return headers.find(([name]) => test(name.toLowerCase()))?.[1];
}

/** Leaves out the headers of the connection, also those that `Connection` names. */
export function endToEnd(headers: readonly Header[]): readonly Header[] {
  const named = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((name) => name.trim());
  const omitted = new Set([...hopByHop, ...named]);
  return headers.filter(([name]) => !omitted.has(name.toLowerCase()));
}
