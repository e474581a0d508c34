import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  cancelDelivery,
  claimAttempt,
  claimInput,
  recordAttempt,
  recordInput,
  releaseAttempt,
  releaseInput,
} from '#shared/aws/table/attempts.ts';
import { toDeliveryItem, toLogEntry } from '#shared/aws/table/delivery-item.ts';
import type { RecordedAttempt } from '#shared/operations/ports.ts';
import {
  commandsOf,
  conditionFailed,
  mockTable,
  tableName,
  unexpected,
} from '../../support/aws/aws-mocks.ts';
import {
  acknowledgedAttempt,
  buildDelivery,
  customerId,
  rejectedAttempt,
  startOfTest,
  webhookId,
} from '../../support/values/builders.ts';

let { table, mock } = mockTable();
beforeEach(() => {
  ({ table, mock } = mockTable());
});

const delivery = buildDelivery();
const Key = { pk: `DLV#${customerId}#${webhookId}#0`, sk: delivery.id };
const ours = { fencingToken: 'ours', leaseUntil: startOfTest + 30_000 };
const claim = { ...ours, latestDue: startOfTest + 5 };
const held = {
  ...toDeliveryItem(delivery),
  attempts: 1,
  claim_token: 'ours',
  lease_until: startOfTest + 30_000,
};
const claimed = { ...delivery, attempts: 1, claim: ours };

describe('claimAttempt()', () => {
  const input = {
    TableName: tableName,
    Key,
    UpdateExpression: 'SET attempts = :attempt, claim_token = :token, lease_until = :lease_until',
    ConditionExpression:
      '#status = :pending AND attempts = :attempts_before AND attribute_not_exists(claim_token) AND (attribute_not_exists(retry_at) OR retry_at <= :latest_due)',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':pending': 'pending',
      ':attempts_before': 1,
      ':attempt': 2,
      ':token': 'ours',
      ':lease_until': startOfTest + 30_000,
      ':latest_due': startOfTest + 5,
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };

  it('raises the count and takes the lease in one conditional write', async () => {
    mock.on(UpdateCommand).resolves({ Attributes: held });

    const taken = await claimAttempt(table)(delivery, 2, claim);

    expect(taken).toEqual({ claimed: true, delivery: claimed });
    expect(commandsOf(mock)).toEqual([{ UpdateCommand: input }]);
    expect(claimInput(tableName, delivery, 2, claim)).toEqual(input);
  });

  it('returns the delivery that another worker holds when the claim is refused', async () => {
    mock.on(UpdateCommand).rejects(conditionFailed({ ...held, claim_token: 'theirs' }));

    const taken = await claimAttempt(table)(delivery, 1, claim);

    expect(taken).toEqual({
      claimed: false,
      delivery: { ...claimed, claim: { ...ours, fencingToken: 'theirs' } },
    });
  });

  it('succeeds when the refusal shows the token of this claim: the first response was lost', async () => {
    mock.on(UpdateCommand).rejects(conditionFailed(held));

    expect(await claimAttempt(table)(delivery, 1, claim)).toEqual({ claimed: true, delivery: claimed });
  });

  it('returns no delivery when the delivery does not exist', async () => {
    mock.on(UpdateCommand).rejects(conditionFailed());

    expect(await claimAttempt(table)(delivery, 1, claim)).toEqual({ claimed: false, delivery: null });
  });

  it('throws every other failure', async () => {
    await expect(claimAttempt(table)(delivery, 1, claim)).rejects.toBe(unexpected);
  });
});

describe('recordAttempt()', () => {
  const recorded: RecordedAttempt = {
    key: delivery,
    attempt: 1,
    fencingToken: 'ours',
    entry: acknowledgedAttempt,
    transition: { status: 'delivered', endedAt: startOfTest + 1300 },
  };
  const waiting: RecordedAttempt = {
    ...recorded,
    entry: rejectedAttempt,
    transition: { status: 'pending', retryAt: startOfTest + 600_000 },
  };
  const common = {
    TableName: tableName,
    Key,
    ConditionExpression: '#status = :pending AND claim_token = :token',
    ExpressionAttributeNames: { '#status': 'status', '#log': 'log' },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };

  it('ends a delivery, drops its claim and removes it from the waiting index', async () => {
    mock.on(UpdateCommand).resolves({});
    const input = {
      ...common,
      UpdateExpression:
        'SET #status = :status, #log = list_append(if_not_exists(#log, :empty), :entry), last_at = :at, ended_at = :time REMOVE claim_token, lease_until, retry_at, waiting_pk, waiting_sk',
      ExpressionAttributeValues: {
        ':pending': 'pending',
        ':token': 'ours',
        ':status': 'delivered',
        ':empty': [],
        ':entry': [[startOfTest + 1000, 184, 'acknowledged', 200, null, 12, 31, 48, 93]],
        ':at': startOfTest + 1000,
        ':time': startOfTest + 1300,
      },
    };

    expect(await recordAttempt(table)(recorded)).toBe(true);

    expect(commandsOf(mock)).toEqual([{ UpdateCommand: input }]);
    expect(recordInput(tableName, recorded)).toEqual(input);
  });

  it('stores when the next attempt is due together with the failed one', async () => {
    mock.on(UpdateCommand).resolves({});
    const shard = delivery.id.charCodeAt(delivery.id.length - 1) % 8;
    const input = {
      ...common,
      UpdateExpression:
        'SET #status = :status, #log = list_append(if_not_exists(#log, :empty), :entry), last_at = :at, retry_at = :time, waiting_pk = :waiting_pk, waiting_sk = :waiting_sk REMOVE claim_token, lease_until',
      ExpressionAttributeValues: {
        ':pending': 'pending',
        ':token': 'ours',
        ':status': 'pending',
        ':empty': [],
        ':entry': [
          [startOfTest + 1000, 61, 'rejected', 500, 'The endpoint answered 500', null, null, null, 60],
        ],
        ':at': startOfTest + 1000,
        ':time': startOfTest + 600_000,
        ':waiting_pk': `WAITING#${shard}`,
        ':waiting_sk': `0${startOfTest + 600_000}#${delivery.id}`,
      },
    };

    expect(await recordAttempt(table)(waiting)).toBe(true);

    expect(commandsOf(mock)).toEqual([{ UpdateCommand: input }]);
    expect(recordInput(tableName, waiting)).toEqual(input);
  });

  it('succeeds when the refusal shows the same log entry: the first response was lost', async () => {
    const item = {
      ...toDeliveryItem(delivery),
      attempts: 1,
      status: 'delivered',
      log: [toLogEntry(acknowledgedAttempt)],
    };
    mock.on(UpdateCommand).rejects(conditionFailed(item));

    expect(await recordAttempt(table)(recorded)).toBe(true);
  });

  it.each([
    { name: 'another entry under that number', item: { attempts: 1, log: [toLogEntry(rejectedAttempt)] } },
    {
      name: 'no entry under that number',
      item: { attempts: 1, claim_token: 'theirs', lease_until: startOfTest },
    },
    { name: 'a delivery that was cancelled', item: { status: 'failed', cancelled: 'endpoint_deleted' } },
  ])('is refused when the refusal shows $name', async ({ item }) => {
    mock.on(UpdateCommand).rejects(conditionFailed({ ...toDeliveryItem(delivery), ...item }));

    expect(await recordAttempt(table)(recorded)).toBe(false);
  });

  it('is refused when the delivery does not exist', async () => {
    mock.on(UpdateCommand).rejects(conditionFailed());

    expect(await recordAttempt(table)(recorded)).toBe(false);
  });

  it('throws every other failure', async () => {
    await expect(recordAttempt(table)(recorded)).rejects.toBe(unexpected);
  });
});

describe('releaseAttempt()', () => {
  const input = {
    TableName: tableName,
    Key,
    UpdateExpression: 'SET attempts = :attempts_before REMOVE claim_token, lease_until',
    ConditionExpression: '#status = :pending AND claim_token = :token',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':pending': 'pending', ':attempts_before': 1, ':token': 'ours' },
  };

  it('lowers the count and drops the claim in one conditional write', async () => {
    mock.on(UpdateCommand).resolves({});

    expect(await releaseAttempt(table)(delivery, 2, 'ours')).toBe(true);

    expect(commandsOf(mock)).toEqual([{ UpdateCommand: input }]);
    expect(releaseInput(tableName, delivery, 2, 'ours')).toEqual(input);
  });

  it('reports that the claim did not hold when the write is refused', async () => {
    mock.on(UpdateCommand).rejects(conditionFailed());

    expect(await releaseAttempt(table)(delivery, 2, 'ours')).toBe(false);
  });

  it('throws every other failure', async () => {
    await expect(releaseAttempt(table)(delivery, 2, 'ours')).rejects.toBe(unexpected);
  });
});

describe('cancelDelivery()', () => {
  const input = {
    TableName: tableName,
    Key,
    UpdateExpression:
      'SET #status = :failed, cancelled = :reason, ended_at = :now REMOVE claim_token, lease_until, retry_at, waiting_pk, waiting_sk',
    ConditionExpression: '#status = :pending AND (attribute_not_exists(lease_until) OR lease_until <= :now)',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':pending': 'pending',
      ':failed': 'failed',
      ':reason': 'endpoint_deleted',
      ':now': startOfTest,
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };

  it('ends a delivery that no worker holds', async () => {
    mock.on(UpdateCommand).resolves({});

    expect(await cancelDelivery(table)(delivery, 'endpoint_deleted', startOfTest)).toBe('cancelled');

    expect(commandsOf(mock)).toEqual([{ UpdateCommand: input }]);
  });

  it.each([
    { verdict: 'in_flight', item: held },
    { verdict: 'ended', item: { ...held, status: 'delivered' } },
    { verdict: 'ended', item: undefined },
  ])('answers $verdict by what the refusal shows', async ({ verdict, item }) => {
    mock.on(UpdateCommand).rejects(conditionFailed(item));

    expect(await cancelDelivery(table)(delivery, 'endpoint_deleted', startOfTest)).toBe(verdict);
  });

  it('throws every other failure', async () => {
    await expect(cancelDelivery(table)(delivery, 'endpoint_deleted', startOfTest)).rejects.toBe(unexpected);
  });
});
