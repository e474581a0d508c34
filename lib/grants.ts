import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type PartitionName, partitionPattern, tableSchema } from '#shared/contract/table-schema.ts';

/** Resources that a function can be allowed to use. */
export type GrantTarget =
  | 'table'
  | 'waitingIndex'
  | 'listedIndex'
  | 'intakeQueue'
  | 'deliveryQueue'
  | 'intakeDeadLetterQueue'
  | 'deliveryDeadLetterQueue'
  | 'secretsKey'
  | 'schedules'
  | 'schedulerRole';

type Conditions = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;

/** One statement of a function's policy. */
export type Grant = {
  readonly on: GrantTarget;
  readonly actions: readonly string[];
  readonly conditions?: Conditions;
};

/**
 * Only actions that name the partition keys they touch: a request without any key, such as a scan, would fulfil the
 * condition on these keys.
 */
type ItemAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchWriteItem';

/** Actions on items of some kinds. Every key of a batch or a transaction has to be of one of them. */
export const items = (kinds: readonly PartitionName[], ...actions: readonly ItemAction[]): Grant => ({
  on: 'table',
  actions: prefixed('dynamodb', actions),
  conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': kinds.map(partitionPattern) } },
});

/** Limits an update to these attributes and the keys; all other attributes of the item stay as they are. */
export const onlyAttributes = (attributes: readonly string[], grant: Grant): Grant => ({
  ...grant,
  conditions: {
    ...grant.conditions,
    'ForAllValues:StringEquals': {
      'dynamodb:Attributes': [tableSchema.partitionKey, tableSchema.sortKey, ...attributes],
    },
  },
});

/** An encryption context binds a ciphertext to its endpoint; a call without one is refused. */
export const secretsKey = (...actions: readonly string[]): Grant => ({
  on: 'secretsKey',
  actions: prefixed('kms', actions),
  conditions: { Null: { 'kms:EncryptionContextKeys': 'false' } },
});

export const countMessages = (on: GrantTarget): Grant => ({ on, actions: ['sqs:GetQueueAttributes'] });

export const sendTo = (on: GrantTarget): Grant => ({ on, actions: ['sqs:SendMessage'] });

/** Reads the credential and counts its request. */
export const authentication: readonly Grant[] = [
  items(['apiKey', 'connection'], 'GetItem'),
  items(['rateWindow'], 'UpdateItem'),
];

/** The first request for a list makes the secret that authenticates cursors. */
export const cursorSecret = items(['cursorSecret'], 'GetItem', 'PutItem');

/** A page of a list in the index: its keys, then its items. The index holds keys only. */
export const listedItems = (kind: PartitionName): readonly Grant[] => [
  { on: 'listedIndex', actions: ['dynamodb:Query'] },
  items([kind], 'BatchGetItem'),
];

export const retryScheduling: readonly Grant[] = [
  { on: 'schedules', actions: ['scheduler:CreateSchedule'] },
  {
    on: 'schedulerRole',
    actions: ['iam:PassRole'],
    conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
  },
];

/** The grants as statements of an IAM policy. */
export function policyOf(
  grants: readonly Grant[],
  arns: Readonly<Record<GrantTarget, string>>,
): PolicyStatement[] {
  return grants.map(
    ({ on, actions, conditions }) =>
      new PolicyStatement({ actions: [...actions], resources: [arns[on]], conditions: { ...conditions } }),
  );
}

function prefixed(service: string, actions: readonly string[]): readonly string[] {
  return actions.map((action) => `${service}:${action}`);
}
