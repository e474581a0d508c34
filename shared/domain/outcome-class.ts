import type { AttemptLogEntry, AttemptOutcome } from './attempt.ts';

/** How attempts are counted: by class of the response status, or by what prevented a response. */
export const outcomeClasses = [
  '2xx',
  '3xx',
  '4xx',
  '5xx',
  'timeout',
  'dns',
  'connect',
  'tls',
  'refused_address',
  /** Not HTTP/1.1, or a status outside 200 to 599. */
  'invalid_response',
  'interrupted',
] as const;

export type OutcomeClass = (typeof outcomeClasses)[number];

const withoutResponse: Readonly<Record<Exclude<AttemptOutcome, 'acknowledged' | 'rejected'>, OutcomeClass>> = {
  timed_out: 'timeout',
  dns_failed: 'dns',
  connection_failed: 'connect',
  tls_failed: 'tls',
  address_refused: 'refused_address',
  invalid_response: 'invalid_response',
  interrupted: 'interrupted',
};

/** One of eleven values, whatever the receiver answers. */
export function outcomeClassOf({
  outcome,
  responseStatus,
}: Pick<AttemptLogEntry, 'outcome' | 'responseStatus'>): OutcomeClass {
  if (outcome === 'acknowledged') return '2xx';
  return outcome === 'rejected' ? rejectedClass(responseStatus ?? 0) : withoutResponse[outcome];
}

function rejectedClass(status: number): OutcomeClass {
  if (status < 300 || status > 599) return 'invalid_response';
  if (status < 400) return '3xx';
  return status < 500 ? '4xx' : '5xx';
}
