import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type PartitionName, partitionPattern, tableSchema } from '#shared/contract/table-schema.ts';

type QueueName =
  | `${'intake' | 'delivery' | 'slowDelivery' | 'replay'}Queue`
  | `${'intake' | 'delivery' | 'replay'}DeadLetterQueue`;

/** Resources that a grant can target. */
export type GrantTarget =
  | 'table'
  | 'waitingIndex'
  | 'listedIndex'
  | QueueName
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
 * Only actions that name partition keys: a request without keys, such as a scan, would satisfy the `LeadingKeys`
 * condition.
 */
type ItemAction =
  | 'ConditionCheckItem'
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchWriteItem'
  | 'PartiQLInsert'
  | 'PartiQLUpdate';

/** Allows actions on the given kinds of items. Every key in a batch or transaction must be of one of these kinds. */
export const items = (kinds: readonly PartitionName[], ...actions: readonly ItemAction[]): Grant => ({
  on: 'table',
  actions: prefixed('dynamodb', actions),
  conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': kinds.map(partitionPattern) } },
});

/** Limits an update to the given attributes and the keys. */
export const onlyAttributes = (attributes: readonly string[], grant: Grant): Grant => ({
  ...grant,
  conditions: {
    ...grant.conditions,
    'ForAllValues:StringEquals': {
      'dynamodb:Attributes': [tableSchema.partitionKey, tableSchema.sortKey, ...attributes],
    },
  },
});

/** Limits a query to the given attributes and the keys. The query has to name them. */
export const onlyReading = (attributes: readonly string[], grant: Grant): Grant => {
  const limited = onlyAttributes(attributes, grant);
  const named = { StringEquals: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' } };
  return { ...limited, conditions: { ...limited.conditions, ...named } };
};

/** The signing secrets of endpoints, and no answers: each ciphertext is bound to its endpoint. */
export const secretsKey = (...actions: readonly string[]): Grant => keyFor('webhook_id', actions);

/** Answers that are kept for requests of customers with a key, and neither stored secrets nor answers to the operator. */
export const answersKey = (...actions: readonly string[]): Grant => keyFor('request_key', actions);

/** Answers that are kept for the operator, which hold API keys. */
export const operatorAnswersKey = (...actions: readonly string[]): Grant => keyFor('operator_request_key', actions);

/** @param member of the encryption context, which a call has to name */
const keyFor = (member: string, actions: readonly string[]): Grant => ({
  on: 'secretsKey',
  actions: prefixed('kms', actions),
  conditions: { Null: { [`kms:EncryptionContext:${member}`]: 'false' } },
});

export const countMessages = (...queues: readonly QueueName[]): readonly Grant[] =>
  queues.map((on) => ({ on, actions: ['sqs:GetQueueAttributes'] }));

export const sendTo = (...queues: readonly QueueName[]): readonly Grant[] =>
  queues.map((on) => ({ on, actions: ['sqs:SendMessage'] }));

/** Reads a credential and counts the request against its rate limit. */
export const authentication: readonly Grant[] = [
  items(['apiKey', 'connection', 'portalLink'], 'GetItem'),
  items(['rateWindow'], 'UpdateItem'),
];

/** The first list request creates the secret that authenticates cursors. */
export const cursorSecret = items(['cursorSecret'], 'GetItem', 'PutItem');

/** Reads a page of a list: first keys from the index, which holds keys only, then the items. */
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

/** Converts grants to IAM policy statements. */
export function policyOf(grants: readonly Grant[], arns: Readonly<Record<GrantTarget, string>>): PolicyStatement[] {
  return grants.map(
    ({ on, actions, conditions }) =>
      new PolicyStatement({ actions: [...actions], resources: [arns[on]], conditions: { ...conditions } }),
  );
}

function prefixed(service: string, actions: readonly string[]): readonly string[] {
  return actions.map((action) => `${service}:${action}`);
}
