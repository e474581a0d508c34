import { isPublicAddress } from './public-address.ts';

/** The URL of an endpoint in normal form, as it is stored and connected to. */
export type EndpointUrl = {
  readonly href: string;
  readonly origin: string;
  /** DNS name or IP address; an IPv6 address has no brackets. */
  readonly hostname: string;
  /** Whether `hostname` is an IP address, which needs no DNS. */
  readonly isAddress: boolean;
  readonly port: number;
  /** Value of the `Host` header. */
  readonly host: string;
  /** Path and query, as the request line carries them. */
  readonly path: string;
};

export type ParsedEndpointUrl =
  | { readonly ok: true; readonly url: EndpointUrl }
  | { readonly ok: false; readonly detail: string };

export type EndpointUrlOptions = {
  /**
   * Origins, such as `https://receiver.localhost:9443`, whose host may be any name or address. All other rules still
   * apply.
   */
  readonly trustedOrigins?: ReadonlySet<string>;
};

/** Characters of an endpoint's URL in normal form. */
export const maxUrlLength = 2048;
const maxNameLength = 253;

/** The ports that the Fetch standard blocks: each belongs to another protocol, whose server must not receive HTTP. */
const blockedPorts: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Names that never resolve to a public host, with all names below them. */
const specialUseNames = ['localhost', 'localdomain', 'local', 'internal', 'home.arpa', 'onion', 'invalid'];

const dottedDecimal = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const nameLabel = /^(?!-|_+$)[a-z0-9_-]{1,63}(?<!-)$/;

/**
 * Checks an endpoint's URL against every rule that needs no DNS. The rules apply to the parsed URL, never to the text:
 * a parser accepts many spellings of one address, and the request uses the parsed URL.
 */
export function parseEndpointUrl(text: string, options: EndpointUrlOptions = {}): ParsedEndpointUrl {
  const parsed = parseUrl(text);
  if (parsed === null) {
    return { ok: false, detail: 'The URL cannot be parsed: send an absolute https URL' };
  }
  const url = describeUrl(parsed);
  const isTrusted = options.trustedOrigins?.has(url.origin) ?? false;
  const detail = faultOfUrl(parsed, url) ?? (isTrusted ? null : faultOfHost(url));
  return detail === null ? { ok: true, url } : { ok: false, detail };
}

/** `example.com.` is the same name as `example.com`, but another `Host` header and another certificate name. */
function parseUrl(text: string): URL | null {
  const url = URL.parse(text);
  if (url?.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  return url;
}

function describeUrl(url: URL): EndpointUrl {
  const isIpv6 = url.hostname.startsWith('[');
  return {
    href: url.href,
    origin: url.origin,
    hostname: isIpv6 ? url.hostname.slice(1, -1) : url.hostname,
    isAddress: isIpv6 || dottedDecimal.test(url.hostname),
    port: url.port === '' ? 443 : Number(url.port),
    host: url.host,
    // `search` would lose an empty query.
    path: url.href.slice(url.origin.length),
  };
}

function faultOfUrl(parsed: URL, url: EndpointUrl): string | null {
  if (parsed.protocol !== 'https:') return 'The URL must use https';
  if (parsed.username !== '' || parsed.password !== '') {
    return 'The URL must not contain a user name or a password';
  }
  // Only the text of the URL shows an empty fragment.
  if (url.href.includes('#')) return 'The URL must not contain a fragment';
  if (url.href.length > maxUrlLength) {
    return `The URL must have at most ${maxUrlLength} characters`;
  }
  return blockedPorts.has(url.port) ? `The URL must not use port ${url.port}` : null;
}

/** What to do instead of naming this computer. */
const onOwnMachine = '; to receive events on your own machine, use a tunnel';

function faultOfHost(url: EndpointUrl): string | null {
  if (url.isAddress) {
    return isPublicAddress(url.hostname) ? null : `The URL must point to a public address${onOwnMachine}`;
  }
  const labels = url.hostname.split('.');
  if (url.hostname.length > maxNameLength || !labels.every((label) => nameLabel.test(label))) {
    return 'The host of the URL must be a valid DNS name';
  }
  return labels.length === 1 || isSpecialUse(url.hostname)
    ? `The URL must not point to a local or special-use host name${onOwnMachine}`
    : null;
}

function isSpecialUse(hostname: string): boolean {
  return specialUseNames.some((name) => hostname === name || hostname.endsWith(`.${name}`));
}
