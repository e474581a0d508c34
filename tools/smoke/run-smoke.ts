import { randomBytes } from 'node:crypto';
import type { Wait } from '#shared/operations/ports.ts';
import { catalogue } from '../conformance/catalogue.ts';
import { configSchema, type SuiteConfig } from '../conformance/config.ts';
import type { Group } from '../conformance/harness/check.ts';
import { runSuite } from '../conformance/run-suite.ts';
import { explainFailure } from '../operator/cli/explain-failure.ts';
import type { Target, TargetOptions } from '../operator/cli/target.ts';
import type { SmokeReceiver } from './receivers.ts';
import { makeCustomer, removeCustomers, revokeKey } from './throw-away-customers.ts';

/** What a run of the smoke test is given. */
export type SmokeRun = {
  readonly options: TargetOptions;
  readonly target: Target;
  readonly apiUrl: string;
  readonly receiver: SmokeReceiver;
  /** How long the delivery may take. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly note: (text: string) => void;
  readonly wait: Wait;
  /** Default: all checks. */
  readonly groups?: readonly Group[];
};

export type SmokeResult = Awaited<ReturnType<typeof runSmoke>>;

/** The suite makes about 240 requests as the first customer, and a key admits 60 a minute. One key is revoked. */
const keysOfCustomer = 6;
const keysOfOther = 2;

/**
 * Runs the conformance suite as two customers that exist only for this run, and removes them even when it failed or was
 * stopped.
 */
export async function runSmoke(run: SmokeRun) {
  const { signal, note, groups = catalogue } = run;
  const made: string[] = [];
  const suite = await makeCustomers(run, made)
    .then((config) => runSuite(config, { groups, signal, note }))
    .catch((error: unknown) => ({ fault: explainFailure(error) }));
  // Before all was removed.
  const wasStopped = signal.aborted;
  const result = 'fault' in suite ? null : suite;
  const leftBehind = await removeCustomers(run, made, result?.sent ?? null);
  return { result, fault: 'fault' in suite ? suite.fault : null, customers: made, wasStopped, leftBehind };
}

/** @returns the settings of the suite for two new customers, without a programmable receiver or an issuer */
async function makeCustomers(run: SmokeRun, made: string[]): Promise<SuiteConfig> {
  const { apiUrl, target, receiver, seconds, note } = run;
  const tag = randomBytes(4).toString('hex');
  const customer = await makeCustomer(target, `Smoke test ${tag}`, keysOfCustomer, made);
  const other = await makeCustomer(target, `Smoke test ${tag}, other`, keysOfOther, made);
  const [revoked, ...keys] = customer.keys;
  if (revoked === undefined) throw new Error('No key was issued');
  await revokeKey(target, customer.id, revoked.id);
  note(`Created ${customer.id} and ${other.id}. One delivery and the checks take a few minutes\n`);
  return configSchema.parse({
    url: apiUrl,
    keys: keys.map(({ key }) => key),
    other_keys: other.keys.map(({ key }) => key),
    credentials: { revoked_key: revoked.key },
    plain_receiver: { url: receiver.url, inbox_url: receiver.inboxUrl, wait_seconds: seconds },
    intake: {
      queue_url: target.intakeQueueUrl,
      region: await target.queues.config.region(),
      endpoint: target.queueEndpoint,
      customer_id: customer.id,
      other_customer_id: other.id,
    },
  });
}
