import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { auditSpan, progressOf, sweepGrace } from '#shared/domain/progress.ts';
import { attemptTimeout, claimGrace, timeToClaim, timeToPost } from '#shared/domain/retry-plan.ts';
import { functions } from '../../lib/functions/functions.ts';
import { slowLane } from '../../lib/functions/queue-functions.ts';
import { everyOption, synthesizeStage } from './synthesized-stage.ts';

/** Lambda collects this many batches of a queue at a time before it scales, and gives one CPU for this memory. */
const initialPollers = 5;
const megabytesPerCpu = 1_769;

/** Milliseconds of CPU time for one attempt with a new TLS connection, at most. */
const cpuPerAttempt = 6;

const minute = 60_000;
const hour = 60 * minute;

const stage = await synthesizeStage(everyOption);

describe('the consumers', () => {
  it.each([
    ['queue/intake', 'IntakeQueue', 10, 2, undefined],
    ['queue/deliver', 'DeliveryQueue', 10, 2, undefined],
    ['queue/deliver-slow', 'SlowDeliveryQueue', slowLane.batchSize, slowLane.batchWindow, 9],
    ['queue/replay', 'ReplayQueue', 1, 0, 3],
  ])(
    '%s takes batches from its queue and returns only the messages that failed',
    (folder, queue, batchSize, batchingWindowSeconds, maximumConcurrency) => {
      const mappings = stage.model.mappings.filter(({ functionArn }) => stage.folderOf(functionArn) === folder);

      expect(mappings).toMatchObject([
        {
          queueArn: expect.stringMatching(new RegExp(`[-:]${queue}`)),
          batchSize,
          batchingWindowSeconds,
          maximumConcurrency,
          reportsBatchItemFailures: true,
        },
      ]);
    },
  );

  it('intake and deliver have as many pollers as the settings keep ready, or else a maximum of functions', async () => {
    const polled = (BatchSize: number, MinimumPollers: number, MaximumPollers: number) =>
      stage.delivery.resourcePropertiesCountIs(
        'AWS::Lambda::EventSourceMapping',
        {
          BatchSize,
          ProvisionedPollerConfig: { MinimumPollers, MaximumPollers },
          ScalingConfig: Match.absent(),
        },
        2,
      );
    polled(10, 3, 3);

    const usual = await synthesizeStage();
    expect(usual.model.mappings.map(({ maximumConcurrency }) => maximumConcurrency).toSorted()).toEqual(
      [10, 100, 100, 400].toSorted(),
    );
  });

  it('no message is filtered out before a function sees it', () => {
    stage.delivery.allResourcesProperties('AWS::Lambda::EventSourceMapping', {
      FilterCriteria: Match.absent(),
    });
  });
});

describe('the slow lane', () => {
  it('ten attempts a second that time out take at most 500 GB-ms each, and more attempts take less', () => {
    const gigabyteMs = (perSecond: number): number => {
      const collected = (perSecond * slowLane.batchWindow) / initialPollers;
      const batch = Math.min(slowLane.batchSize, collected);
      const { memory } = functions['queue/deliver-slow'];
      const ms = attemptTimeout + batch * (cpuPerAttempt / (memory / megabytesPerCpu));
      return ((memory / 1024) * ms) / batch;
    };

    expect(gigabyteMs(10)).toBeLessThanOrEqual(500);
    expect(gigabyteMs(20)).toBeLessThan(gigabyteMs(10));
    expect(gigabyteMs(1_000)).toBeLessThanOrEqual(gigabyteMs(20));
  });

  it('a full batch uses less than a tenth of the time limit of its attempts for its own CPU time', () => {
    const cpus = functions['queue/deliver-slow'].memory / megabytesPerCpu;

    expect((slowLane.batchSize * cpuPerAttempt) / cpus).toBeLessThan(attemptTimeout / 10);
  });

  it('a full batch can be claimed, posted and recorded before the function ends', () => {
    const { timeout, memory } = functions['queue/deliver-slow'];
    const ownTime = (slowLane.batchSize * cpuPerAttempt) / (memory / megabytesPerCpu);

    expect(timeout * 1000 - ownTime).toBeGreaterThan(timeToClaim);
    expect(ownTime).toBeLessThan(timeToPost - attemptTimeout);
    expect(ownTime).toBeLessThan(claimGrace);
  });
});

describe('the recurring runs', () => {
  it.each([
    ['schedule/sweep', 'Sweep', 5 * minute, 'rate(5 minutes)'],
    ['schedule/audit', 'Audit', hour, 'rate(1 hour)'],
  ])('%s runs on time, and a run is dropped when the next one is due', (_folder, id, interval, rate) => {
    const lambda = Match.stringLikeRegexp(`^${id}Function`);
    const age = { MaximumEventAgeInSeconds: interval / 1000 };

    stage.delivery.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: rate,
      State: 'ENABLED',
      Targets: [
        Match.objectLike({
          Arn: { 'Fn::GetAtt': [lambda, 'Arn'] },
          RetryPolicy: { ...age, MaximumRetryAttempts: 0 },
        }),
      ],
    });
    stage.delivery.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: { Ref: lambda },
      ...age,
    });
  });

  it('the audit reads each delivery three times, so that it can miss one of them', () => {
    const { from, to } = auditSpan(10 * hour);

    expect(to - from).toBe(3 * hour);
  });

  it('the audit has the longest timeout that Lambda allows', () => {
    expect(stage.functions.get('schedule/audit')?.timeoutSeconds).toBe(900);
  });

  it('two sweeps run before a delivery counts as overdue', () => {
    const now = 100 * hour;
    const waited = (dueAt: number) =>
      progressOf({ status: 'pending', createdAt: 0, leaseUntil: null, dueAt }, now, true);

    expect(waited(now - sweepGrace - 2 * 5 * minute)).toBe('waiting');
    expect(waited(now - sweepGrace - 3 * 5 * minute)).toBe('overdue');
  });
});
