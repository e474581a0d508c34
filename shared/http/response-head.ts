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
  /** Whether a bot protection in front of the receiver answered, which asks the client to prove that it is a browser. */
  readonly isChallenge: boolean;
};

export type HeadFault = 'not_http' | 'no_status';

type Header = { readonly name: string; readonly value: string };

const statusLine = /^HTTP\/\d+(?:\.\d+)?[ \t]+(\d{3})(?!\d)/i;
const regularStatusLine = /^HTTP\/1\.([01]) \d{3}(?: |$)/;
const token = /^[\w!#$%&'*+.^`|~-]+$/;
const plainValue = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Some servers end lines with LF, CR, or CR CR LF. */
const lineEnd = /\r{0,2}\n|\r/;
/** How Cloudflare, Vercel and AWS WAF mark a challenge. */
const challengeHeaders = ['cf-mitigated', 'x-vercel-mitigated', 'x-amzn-waf-action'] as const;
const challenges: ReadonlySet<string> = new Set(['challenge', 'captcha']);
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
    .slice(0, endWithout(text, '\r\n'))
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(lineEnd);
  const [, digits] = statusLine.exec(first) ?? [];
  if (digits === undefined) return 'not_http';
  const status = Number(digits);
  if (status < 100) return 'no_status';
  const headers = lines.map(splitHeader);
  const { framing, isCertain } = framingOf(status, headers);
  const { isKept, keptFor } = persistenceOf(first, headers);
  const isRegular = !irregularLine.test(text) && headers.every(isRegularHeader);
  return {
    status,
    isInterim: status < 200 && status !== 101,
    framing,
    isPersistent: isRegular && isCertain && isKept,
    keptFor,
    isChallenge: challengeHeaders.some((name) => elements(headers, name).some((each) => challenges.has(each))),
  };
}

function splitHeader(line: string): Header {
  const colon = line.indexOf(':');
  return {
    name: line.slice(0, Math.max(0, colon)).toLowerCase(),
    value: withoutBlanks(line.slice(colon + 1)),
  };
}

function isRegularHeader({ name, value }: Header): boolean {
  return token.test(name) && plainValue.test(value);
}

/** The elements of all headers of this name, in lower case. Some servers put a space before the colon. */
function elements(headers: readonly Header[], wanted: string): readonly string[] {
  return headers
    .filter(({ name }) => name.trim() === wanted)
    .flatMap(({ value }) => value.toLowerCase().split(','))
    .map(withoutBlanks)
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

/** Other white space than these two is a part of the value. */
function withoutBlanks(text: string): string {
  const end = endWithout(text, ' \t');
  let start = 0;
  while (start < end && ' \t'.includes(text.charAt(start))) start += 1;
  return text.slice(start, end);
}

/**
 * Where a text ends without some characters at its end. A regular expression would begin again at each character of a
 * long run, and the receiver chooses the text.
 */
function endWithout(text: string, characters: string): number {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return end;
}

/** Reads `Keep-Alive: timeout=5, max=100` in any order and spelling. A server of HTTP/1.0 has to say that it keeps. */
function persistenceOf(
  first: string,
  headers: readonly Header[],
): Pick<ResponseHead, 'keptFor'> & { readonly isKept: boolean } {
  const options = [...elements(headers, 'connection'), ...elements(headers, 'proxy-connection')];
  const parameters = elements(headers, 'keep-alive')
    .join()
    .matchAll(/\b(timeout|max)\s*=\s*"?(\d+(?:\.\d+)?)/g);
  const numbers = [...parameters].map(([, name, value]) => ({ name, value: Number(value) }));
  const timeouts = numbers.flatMap(({ name, value }) => (name === 'timeout' ? [value] : []));
  const [, minor] = regularStatusLine.exec(first) ?? [];
  const closes = options.includes('close') || numbers.some(({ name, value }) => name === 'max' && value === 0);
  return {
    isKept: !closes && (minor === '1' || (minor === '0' && options.includes('keep-alive'))),
    keptFor: timeouts.length === 0 ? null : Math.min(...timeouts) * 1_000,
  };
}
