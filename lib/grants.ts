import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type PartitionName, partitionPattern, tableSchema } from '#shared/contract/table-schema.ts';

/** What a function can be allowed to touch. */
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

export type Grant = {
  readonly on: GrantTarget;
  readonly actions: readonly string[];
  readonly conditions?: Conditions;
};

/**
 * Only actions that name the partition keys they touch. The condition on these keys would be fulfilled by a request
 * without any, such as a scan.
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
const items = (kinds: readonly PartitionName[], ...actions: readonly ItemAction[]): Grant => ({
  on: 'table',
  actions: prefixed('dynamodb', actions),
  conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': kinds.map(partitionPattern) } },
});

/** An update that names no attribute but these and the keys: what an item says otherwise stays as it is. */
const onlyAttributes = (attributes: readonly string[], grant: Grant): Grant => ({
  ...grant,
  conditions: {
    ...grant.conditions,
    'ForAllValues:StringEquals': {
      'dynamodb:Attributes': [tableSchema.partitionKey, tableSchema.sortKey, ...attributes],
    },
  },
});

/** An encryption context binds a ciphertext to its endpoint; a call without one is refused. */
const secretsKey = (...actions: readonly string[]): Grant => ({
  on: 'secretsKey',
  actions: prefixed('kms', actions),
  conditions: { Null: { 'kms:EncryptionContextKeys': 'false' } },
});

const countMessages = (on: GrantTarget): Grant => ({ on, actions: ['sqs:GetQueueAttributes'] });

const sendTo = (on: GrantTarget): Grant => ({ on, actions: ['sqs:SendMessage'] });

/** Looking at the credential, and counting its request. */
const authentication = [items(['apiKey', 'connection'], 'GetItem'), items(['rateWindow'], 'UpdateItem')];

/** The first list that is read makes the secret that authenticates cursors. */
const cursorSecret = items(['cursorSecret'], 'GetItem', 'PutItem');

/** A page of a list that the index keeps: its keys, then its items. The index holds nothing but keys. */
const listedItems = (kind: PartitionName): readonly Grant[] => [
  { on: 'listedIndex', actions: ['dynamodb:Query'] },
  items([kind], 'BatchGetItem'),
];

const retryScheduling: readonly Grant[] = [
  { on: 'schedules', actions: ['scheduler:CreateSchedule'] },
  {
    on: 'schedulerRole',
    actions: ['iam:PassRole'],
    conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
  },
];

/** What the intake stores, and for whom. */
const stored = ['customer', 'run', 'tracker', 'changeReport', 'creator', 'deliveries'] as const;

/**
 * Everything that each function may do, beside writing its own log and consuming the queue that triggers it.
 * A transaction needs the permissions of the single writes it is made of. None can make a credential: only the operator
 * writes keys and connections.
 */
export const grants: Readonly<Record<string, readonly Grant[]>> = {
  // Talks to strangers, as queue/deliver does: these two reach no more than the endpoint and its deliveries.
  'api/register-webhook': [
    ...authentication,
    items(['customer', 'deliveries'], 'GetItem', 'PutItem', 'UpdateItem'),
    secretsKey('Encrypt'),
  ],
  'api/list-webhooks': [...authentication, items(['customer'], 'Query'), cursorSecret],
  'api/get-webhook': [...authentication, items(['customer'], 'GetItem')],
  'api/delete-webhook': [
    ...authentication,
    items(['customer'], 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'),
  ],
  'api/rotate-secret': [...authentication, items(['customer'], 'UpdateItem'), secretsKey('Encrypt')],
  'api/list-deliveries': [
    ...authentication,
    items(['customer'], 'GetItem'),
    items(['deliveries'], 'Query'),
    cursorSecret,
  ],
  'api/get-delivery': [...authentication, items(['deliveries'], 'GetItem')],
  'api/replay-delivery': [
    ...authentication,
    items(['customer', 'deliveries'], 'GetItem'),
    items(['deliveries'], 'PutItem'),
    sendTo('deliveryQueue'),
  ],
  'api/list-runs': [...authentication, ...listedItems('run'), cursorSecret],
  'api/get-run': [...authentication, items(['run'], 'GetItem')],
  'api/list-run-items': [...authentication, items(['run'], 'GetItem', 'Query'), cursorSecret],
  'api/get-tracker': [...authentication, items(['tracker'], 'GetItem')],
  'api/list-change-reports': [...authentication, items(['tracker'], 'GetItem', 'Query'), cursorSecret],
  'api/list-creator-videos': [
    ...authentication,
    ...listedItems('creator'),
    items(['creator'], 'Query'),
    cursorSecret,
  ],
  'api/get-problem-page': [],
  'api/not-found': [],
  'queue/intake': [
    items(stored, 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'BatchWriteItem'),
    sendTo('deliveryQueue'),
    sendTo('intakeDeadLetterQueue'),
  ],
  'queue/deliver': [
    items(['customer'], 'GetItem'),
    items(['deliveries'], 'UpdateItem'),
    onlyAttributes(['last_delivery_at'], items(['customer'], 'UpdateItem')),
    secretsKey('Decrypt'),
    ...retryScheduling,
    sendTo('deliveryDeadLetterQueue'),
  ],
  'schedule/sweep': [
    { on: 'waitingIndex', actions: ['dynamodb:Query'] },
    items(['deliveries'], 'UpdateItem'),
    sendTo('deliveryQueue'),
  ],
  'schedule/audit': [
    items(['customerList', 'customer', 'deliveries'], 'Query'),
    items(['deliveries'], 'GetItem', 'UpdateItem'),
    countMessages('intakeQueue'),
    countMessages('deliveryQueue'),
  ],
};

/** @throws when the function is not in the table above */
export function policyOf(folder: string, arns: Readonly<Record<GrantTarget, string>>): PolicyStatement[] {
  const allowed = grants[folder];
  if (allowed === undefined) throw new Error(`Cannot deploy ${folder}: it has no entry in grants`);
  return allowed.map(
    ({ on, actions, conditions }) =>
      new PolicyStatement({ actions: [...actions], resources: [arns[on]], conditions: { ...conditions } }),
  );
}

function prefixed(service: string, actions: readonly string[]): readonly string[] {
  return actions.map((action) => `${service}:${action}`);
}
