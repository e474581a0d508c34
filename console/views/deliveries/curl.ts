type Sent = {
  readonly url: string;
  /** Headers in order; a value is `null` when it is computed at each attempt. */
  readonly headers: readonly { readonly name: string; readonly value: string | null }[];
  /** The body, exactly as it is sent. */
  readonly body: string;
};

/**
 * The request of a delivery as a command of a POSIX shell: the same URL, headers and body bytes. Headers that are
 * computed at each attempt are left out.
 */
export function curlCommand({ url, headers, body }: Sent): string {
  const known = headers.flatMap(({ name, value }) => (value === null ? [] : [headerLine(name, value)]));
  // Without these options, curl rewrites some URLs.
  const request = [`curl -i --globoff --path-as-is ${quoted(url)}`, ...[...known, 'Accept: */*'].map(asOption)];
  const command = hasControl(body)
    ? [`printf '%b' ${quoted(escaped(body))} |`, ...request, '--data-binary @-']
    : [...request, `--data-raw ${quoted(body)}`];
  return command.join(' \\\n  ');
}

/** Names of the headers that the command leaves out. */
export function computedHeaders({ headers }: Pick<Sent, 'headers'>): readonly string[] {
  return headers.flatMap(({ name, value }) => (value === null ? [name] : []));
}

const asOption = (line: string) => `-H ${quoted(line)}`;

/** curl takes a name with a colon and nothing behind it as a header to remove. */
function headerLine(name: string, value: string): string {
  return value === '' ? `${name};` : `${name}: ${value}`;
}

/** Between single quotes, a shell changes nothing: neither `$`, backticks, backslashes nor `!`. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u001f\u007f]/g;

/** No argument of a command has a NUL, and a terminal takes a pasted line break or tab as a key. */
function hasControl(text: string): boolean {
  return text.search(controls) !== -1;
}

/** For `printf %b`: its escapes are the same in every shell. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replace(controls, (found) => `\\0${found.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
