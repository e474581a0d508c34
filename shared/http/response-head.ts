/** What the head of a response says about the request and about the connection. */
export type ResponseHead = {
  /** From 100 to 999. */
  readonly status: number;
  /** Whether another head follows: 1xx, except 101, after which the connection speaks another protocol. */
  readonly isInterim: boolean;
  /** Where the body ends: after that many bytes, with its last chunk, or with the connection. */
  readonly framing: number | 'chunked' | 'until_close';
  /** Whether the connection may carry another request: the head is regular, says where it ends, and does not close. */
  readonly isPersistent: boolean;
  /** Milliseconds for which the other side keeps the connection while it is idle; `null` when it does not say. */
  readonly keptFor: number | null;
};

export type HeadFault = 'not_http' | 'no_status';

type Header = { readonly name: string; readonly value: string };

const statusLine = /^HTTP\/(1\.\d)[ \t]+(\d{3})(?:[ \t]|$)/i;
const token = /^[\w!#$%&'*+.^`|~-]+$/;
const plainValue = /^[\t\x20-\x7e\x80-\xff]*$/;
/** A line that continues the value of the one before, or a line end other than CRLF. */
const irregularLine = /\n[ \t]|(?:^|[^\r])\n|\r(?!\n)/;

/**
 * Parses a complete head as leniently as other clients do. Only the status decides about the attempt, so nothing else
 * is refused; an irregular head costs the connection (docs/decisions/0022-lenient-responses.md).
 *
 * @param text latin1, up to its empty line
 */
export function parseResponseHead(text: string): ResponseHead | HeadFault {
  const [first = '', ...lines] = text
    .trimEnd()
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/);
  const [, version, digits] = statusLine.exec(first) ?? [];
  if (digits === undefined) return 'not_http';
  const status = Number(digits);
  if (status < 100) return 'no_status';
  const headers = lines.map(splitHeader);
  const { framing, isCertain } = framingOf(status, headers);
  const { closes, keptFor } = persistenceOf(headers);
  const isRegular = version === '1.1' && !irregularLine.test(text) && headers.every(isRegularHeader);
  return {
    status,
    isInterim: status < 200 && status !== 101,
    framing,
    isPersistent: isRegular && isCertain && !closes,
    keptFor,
  };
}

function splitHeader(line: string): Header {
  const colon = line.indexOf(':');
  return { name: line.slice(0, Math.max(0, colon)).toLowerCase(), value: line.slice(colon + 1).trim() };
}

function isRegularHeader({ name, value }: Header): boolean {
  return token.test(name) && plainValue.test(value);
}

/** The elements of all headers of this name, in lower case. Some servers put a space before the colon. */
function elements(headers: readonly Header[], wanted: string): readonly string[] {
  return headers
    .filter(({ name }) => name.trim() === wanted)
    .flatMap(({ value }) => value.toLowerCase().split(','))
    .map((element) => element.trim())
    .filter((element) => element !== '');
}

type Framing = {
  readonly framing: ResponseHead['framing'];
  /** Whether no other reader of this head would find another end. */
  readonly isCertain: boolean;
};

function framingOf(status: number, headers: readonly Header[]): Framing {
  const codings = elements(headers, 'transfer-encoding');
  const lengths = elements(headers, 'content-length');
  if (status < 200 || status === 204 || status === 304) {
    const saysSo = codings.length === 0 && (status === 304 || lengths.every((length) => length === '0'));
    return { framing: 0, isCertain: saysSo && status !== 101 };
  }
  if (codings.at(-1) === 'chunked') {
    return { framing: 'chunked', isCertain: codings.length === 1 && lengths.length === 0 };
  }
  const length = lengths.find((each) => /^\d{1,15}$/.test(each));
  if (length === undefined || codings.some((coding) => coding !== 'identity')) {
    return { framing: 'until_close', isCertain: false };
  }
  return { framing: Number(length), isCertain: lengths.length === 1 && codings.length === 0 };
}

/** Reads `Keep-Alive: timeout=5, max=100` in any order and spelling. */
function persistenceOf(
  headers: readonly Header[],
): Pick<ResponseHead, 'keptFor'> & { readonly closes: boolean } {
  const options = [...elements(headers, 'connection'), ...elements(headers, 'proxy-connection')];
  const parameters = elements(headers, 'keep-alive')
    .join()
    .matchAll(/\b(timeout|max)\s*=\s*"?(\d+(?:\.\d+)?)/g);
  const numbers = [...parameters].map(([, name, value]) => ({ name, value: Number(value) }));
  const timeouts = numbers.flatMap(({ name, value }) => (name === 'timeout' ? [value] : []));
  return {
    closes: options.includes('close') || numbers.some(({ name, value }) => name === 'max' && value === 0),
    keptFor: timeouts.length === 0 ? null : Math.min(...timeouts) * 1_000,
  };
}
