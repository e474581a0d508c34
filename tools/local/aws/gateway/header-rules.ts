// API Gateway's changes to headers between a client and a function behind a REST API, from the `lambda` column of the
// table in https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html. All other
// headers pass unchanged.

type Pairs = readonly (readonly [name: string, value: string])[];

/** The table lists `Transfer-Encoding` with an exception; here a chunked body arrives whole, with a length. */
const droppedFromRequests = [
  'connection',
  'content-md5',
  'expect',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
];

/** Not in the table, but hop-by-hop in HTTP. */
const hopByHop = ['keep-alive', 'proxy-authorization', 'proxy-connection'];

const renamedInAnswers = new Set([
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
const droppedFromAnswers = new Set([
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
export function forwardable(headers: Pairs, connection: string): Pairs {
  const named = connection.split(',').map((name) => name.trim().toLowerCase());
  const dropped = new Set([...droppedFromRequests, ...hopByHop, ...named]);
  return headers.filter(([name, value]) => !dropped.has(name.toLowerCase()) && !isAwsSignature(name, value));
}

/** The name under which a client receives a header of a function's response; `undefined` when it is dropped. */
export function nameForClient(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (droppedFromAnswers.has(lower)) return undefined;
  return renamedInAnswers.has(lower) ? `x-amzn-Remapped-${name}` : name;
}

function isAwsSignature(name: string, value: string): boolean {
  return name.toLowerCase() === 'authorization' && value.startsWith('AWS4-HMAC-SHA256 ');
}
