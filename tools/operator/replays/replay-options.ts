import { type Command, Option } from 'commander';
import { limits } from '#shared/contract/limits.ts';
import {
  type ReplayableResponse,
  type ReplayableStatus,
  replayableResponses,
  replayableStatuses,
  replayableTypes,
} from '#shared/domain/bulk-replay.ts';
import type { PlanRequest } from '#shared/domain/bulk-replay-plan.ts';
import { now } from '#shared/runtime/system.ts';
import { type PlanOptions, yesOption } from '../cli/ask.ts';
import { ofNumber, timeOption } from '../cli/option-parsers.ts';
import type { PlaceOptions } from '../cli/place-options.ts';
import { onTarget } from '../cli/target.ts';
import { UsageError } from '../cli/usage-error.ts';

export type ReplayOptions = PlanOptions &
  PlaceOptions & {
    readonly all?: true;
    readonly status: ReplayableStatus;
    readonly since?: number;
    readonly until?: number;
    readonly source?: string;
    readonly eventType?: string;
    readonly response?: ReplayableResponse;
    readonly rate: number;
    readonly reason?: string;
    readonly detach?: true;
  };

/** What a replay without `--since` takes: about a day, as an outage that is noticed is younger. */
const defaultSince = '24h';

const times = 'an age such as 90m, 24h or 7d, or an ISO 8601 time';

/**
 * Endpoints that `--all` replays at the same time, at most. A bulk replay of a few deliveries takes five seconds, most of
 * which it waits.
 */
export const endpointsAtOnce = 8;

/**
 * Replays a second of all endpoints together, at most: with the deliveries that they make, they take as many write units
 * as a table that is new.
 */
const allRateMax = 400;

const parseRate = ofNumber(
  (rate) => Number.isInteger(rate) && rate >= 1 && rate <= allRateMax,
  `Give a whole number from 1 to ${limits.operatorReplayRateMax}, or to ${allRateMax} with --all`,
);

export function withReplayOptions(command: Command): Command {
  const description =
    'Replay the failed deliveries of an endpoint, a customer or all customers: first the plan, then the replays';
  return onTarget(withEndpointOptions(command), description)
    .addOption(
      new Option('--all', 'all endpoints of all customers, a few at a time').conflicts([
        'customer',
        'endpoint',
        'detach',
      ]),
    )
    .addOption(
      new Option('--status <status>', 'status of the deliveries to replay')
        .choices(replayableStatuses)
        .default('failed'),
    )
    .option(
      '--since <time>',
      `deliveries created at that time or later: ${times} (default: ${defaultSince} ago)`,
      timeOption(now),
    )
    .option('--until <time>', 'deliveries created before that time (default: now)', timeOption(now))
    .option('--source <id>', 'send the deliveries of this endpoint, deleted or not, to that of --endpoint')
    .addOption(new Option('--event-type <type>', 'only events of this type').choices(replayableTypes))
    .addOption(
      new Option('--response <response>', 'only deliveries whose last attempt went like this').choices(
        replayableResponses,
      ),
    )
    .option('--rate <number>', 'replays a second', parseRate, limits.replayRateDefault)
    .option('--reason <text>', 'why, for the log; never a secret')
    .option('--dry-run', 'print the plan and do nothing')
    .option('--detach', 'start the bulk replays and leave them to the service')
    .addOption(yesOption());
}

export function withEndpointOptions(command: Command): Command {
  return command
    .option('--customer <id>', 'customer that the endpoints belong to')
    .option('--endpoint <id>', 'only this endpoint');
}

/**
 * What the options ask for; without `--until`, until now.
 *
 * @throws UsageError for options that name no endpoints, a time that is not in the past, or a pace above the limit
 */
export function planRequest(options: ReplayOptions): PlanRequest {
  const { status, until, rate, all, customer, endpoint, source, eventType, response } = options;
  if (all !== true && customer === undefined && endpoint === undefined) {
    throw new UsageError('Give --customer <id>, --endpoint <id> or both, or --all');
  }
  if (all !== true && rate > limits.operatorReplayRateMax) {
    throw new UsageError(`--rate must be at most ${limits.operatorReplayRateMax}, or ${allRateMax} with --all`);
  }
  const at = now();
  if (source !== undefined && endpoint === undefined) {
    throw new UsageError('Give --source with the --endpoint that its events are sent to');
  }
  const filters = { sourceWebhookId: source, eventType, response };
  const since = options.since ?? timeOption(() => until ?? at)(defaultSince);
  const request = { status, createdAfter: since, createdBefore: until ?? at, rate, ...filters };
  if (request.createdBefore > at) throw new UsageError('--until must not be in the future');
  if (since >= request.createdBefore) throw new UsageError('--since must be before --until');
  return request;
}
