import { catalogue } from '../conformance/catalogue.ts';
import type { Group, Need } from '../conformance/harness/check.ts';
import { configSchema } from '../conformance/harness/config.ts';
import { type CheckResult, runSuite } from '../conformance/harness/runner.ts';
import type { ThrowAwayCustomer, World } from './steps.ts';

/** Why a smoke test leaves out the checks with a need. A check with several is counted under the first one here. */
const omitted: Partial<Readonly<Record<Need, string>>> = {
  receiver: 'need a receiver that answers as they ask',
  retries: 'wait for retries',
  limit_key: 'use up the request limit of a key, which takes a minute',
  'credentials.token': 'need an access token of your issuer',
  'credentials.expired_token': 'need an access token of your issuer',
  'credentials.foreign_audience_token': 'need an access token of your issuer',
  'credentials.connection_revoked_token': 'need an access token of your issuer',
  'credentials.organization_not_selected_token': 'need an access token of your issuer',
  'credentials.organization_access_revoked_token': 'need an access token of your issuer',
  'credentials.read_only_link': 'need portal links',
  'credentials.revoked_link': 'need portal links',
};

function reasonToOmit(needs: readonly Need[]): string | undefined {
  return Object.entries(omitted).find(([need]) => needs.some((wanted) => wanted === need))?.[1];
}

/** The checks that run without a receiver and an issuer of their own. */
function smokeChecks(): readonly Group[] {
  return catalogue
    .map((group) => ({
      ...group,
      checks: group.checks.filter(({ needs }) => reasonToOmit(needs) === undefined),
    }))
    .filter(({ checks }) => checks.length > 0);
}

/** All other checks, counted by the reason. */
export function omittedChecks() {
  const reasons = catalogue.flatMap(({ checks }) => checks.flatMap(({ needs }) => reasonToOmit(needs) ?? []));
  const groups = [...Map.groupBy(reasons, (reason) => reason)];
  return groups.map(([reason, { length: count }]) => ({ count, reason }));
}

/** The customers of the checks. */
export type SuiteCustomers = {
  readonly customer: ThrowAwayCustomer;
  readonly other: ThrowAwayCustomer;
  /** A revoked key. */
  readonly revokedKey: string;
};

export async function runSmokeChecks(
  { apiUrl, target, signal, note, sent }: World,
  { customer, other, revokedKey }: SuiteCustomers,
): Promise<readonly CheckResult[]> {
  const config = configSchema.parse({
    url: apiUrl,
    keys: customer.keys.map(({ key }) => key),
    other_keys: other.keys.map(({ key }) => key),
    credentials: { revoked_key: revokedKey },
    intake: {
      queue_url: target.intakeQueueUrl,
      region: await target.queues.config.region(),
      endpoint: target.queueEndpoint,
      customer_id: customer.id,
      other_customer_id: other.id,
    },
  });
  const { checks } = await runSuite(config, {
    groups: smokeChecks(),
    signal,
    onSend: (message) => sent.push(message),
    onWait: (reason, ms) => note(`Waiting up to ${Math.ceil(ms / 1_000)} s: ${reason}\n`),
  });
  return checks;
}
