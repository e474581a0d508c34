// What API Gateway does to headers between a client and a function behind a REST API, from the column `lambda` of the
// table in https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html. Whatever the
// table does not name passes.

type Pairs = readonly (readonly [name: string, value: string])[];

/** The table has an exception for `Transfer-Encoding`; a body in chunks arrives whole, and with a length. */
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

/** Not in the table, but of one connection by the rules of HTTP. */
const ofOneConnection = ['keep-alive', 'proxy-authorization', 'proxy-connection'];

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

/** Besides what the table drops: the length, which is made from the body, and the connection's own `Keep-Alive`. */
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

/** Headers of a request that go on to the function. */
export function forwardable(headers: Pairs, connection: string): Pairs {
  const named = connection.split(',').map((name) => name.trim().toLowerCase());
  const dropped = new Set([...droppedFromRequests, ...ofOneConnection, ...named]);
  return headers.filter(([name, value]) => !dropped.has(name.toLowerCase()) && !isAwsSignature(name, value));
}

/** The name under which a client gets a header of a function's answer; `undefined` when it gets none. */
export function nameForClient(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (droppedFromAnswers.has(lower)) return undefined;
  return renamedInAnswers.has(lower) ? `x-amzn-Remapped-${name}` : name;
}

function isAwsSignature(name: string, value: string): boolean {
  return name.toLowerCase() === 'authorization' && value.startsWith('AWS4-HMAC-SHA256 ');
}
