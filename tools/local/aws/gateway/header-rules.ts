import { endToEnd, type Header } from '../../servers/header-list.ts';

// API Gateway's changes to headers between a client and a function behind a REST API, from the `lambda` column of the
// table in https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html. All other
// headers pass unchanged.

/** Besides the headers of a connection, which HTTP tells programs in between not to pass on. */
const droppedFromRequests = new Set(['content-md5', 'expect', 'max-forwards', 'server', 'www-authenticate']);

const renamedInResponses = new Set([
  'authorization',
  'connection',
  'content-md5',
  'date',
  'max-forwards',
  'server',
  'user-agent',
  'www-authenticate',
]);

/** From the table, plus the length, which follows from the body, and the hop-by-hop `Keep-Alive`. */
const droppedFromResponses = new Set([
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);

/** The request headers that reach the function. */
export function forwardable(headers: readonly Header[]): readonly Header[] {
  return endToEnd(headers).filter(
    ([name, value]) => !droppedFromRequests.has(name.toLowerCase()) && !isAwsSignature(name, value),
  );
}

/** The name under which a client receives a header of a function's response; `undefined` when it is dropped. */
export function nameForClient(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (droppedFromResponses.has(lower)) return undefined;
  return renamedInResponses.has(lower) ? `x-amzn-Remapped-${name}` : name;
}

function isAwsSignature(name: string, value: string): boolean {
  return name.toLowerCase() === 'authorization' && value.startsWith('AWS4-HMAC-SHA256 ');
}

/** Whether a `Content-Type` header, or the first type of an `Accept` header, is one of the API's binary media types. */
export function matchesMediaType(binaryMediaTypes: readonly string[], header: string | undefined): boolean {
  if (header === undefined) return binaryMediaTypes.includes('*/*');
  const mediaType = header.split(/[,;]/)[0]?.trim().toLowerCase() ?? '';
  const family = `${mediaType.split('/')[0]}/*`;
  return ['*/*', family, mediaType].some((candidate) => binaryMediaTypes.includes(candidate));
}
