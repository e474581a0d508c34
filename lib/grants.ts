import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { tableSchema } from '../shared/contract/table-schema.ts';

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

const table = (...actions: readonly string[]): Grant => ({
  on: 'table',
  actions: prefixed('dynamodb', actions),
});

/** An encryption context binds a ciphertext to its endpoint; a call without one is refused. */
const secretsKey = (...actions: readonly string[]): Grant => ({
  on: 'secretsKey',
  actions: prefixed('kms', actions),
  conditions: { Null: { 'kms:EncryptionContextKeys': 'false' } },
});

const countMessages = (on: GrantTarget): Grant => ({ on, actions: ['sqs:GetQueueAttributes'] });

const sendTo = (on: GrantTarget): Grant => ({ on, actions: ['sqs:SendMessage'] });

/** Counting the requests of a credential writes its window, and nothing else. */
const requestCounting: Grant = {
  ...table('UpdateItem'),
  conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${tableSchema.rateWindowPrefix}*`] } },
};

/** What looking at the credential takes, which covers reading single records; counting requests belongs here. */
const authentication = [table('GetItem'), requestCounting];

/** Whoever reads a list first makes the secret that authenticates cursors, and may write nothing else. */
const cursorSecret: Grant = {
  ...table('PutItem'),
  conditions: {
    'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [tableSchema.cursorSecretPartition] },
  },
};

/** A page of a list that the index keeps: its keys, then its items. */
const listedRows: readonly Grant[] = [
  { on: 'listedIndex', actions: ['dynamodb:Query'] },
  table('BatchGetItem'),
];

const retryScheduling: readonly Grant[] = [
  { on: 'schedules', actions: ['scheduler:CreateSchedule'] },
  {
    on: 'schedulerRole',
    actions: ['iam:PassRole'],
    conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
  },
];

/**
 * Everything that each function may do, beside writing its own log and consuming the queue that triggers it.
 * A transaction needs the permissions of the single writes it is made of.
 */
export const grants: Readonly<Record<string, readonly Grant[]>> = {
  'api/register-webhook': [...authentication, table('PutItem', 'UpdateItem'), secretsKey('Encrypt')],
  'api/list-webhooks': [...authentication, table('Query'), cursorSecret],
  'api/get-webhook': [...authentication],
  'api/delete-webhook': [...authentication, table('PutItem', 'UpdateItem', 'DeleteItem')],
  'api/rotate-secret': [...authentication, table('UpdateItem'), secretsKey('Encrypt')],
  'api/list-deliveries': [...authentication, table('Query'), cursorSecret],
  'api/get-delivery': [...authentication],
  'api/replay-delivery': [...authentication, table('PutItem'), sendTo('deliveryQueue')],
  'api/list-runs': [...authentication, ...listedRows, cursorSecret],
  'api/get-run': [...authentication],
  'api/list-run-items': [...authentication, table('Query'), cursorSecret],
  'api/get-tracker': [...authentication],
  'api/list-change-reports': [...authentication, table('Query'), cursorSecret],
  'api/list-creator-videos': [...authentication, ...listedRows, table('Query'), cursorSecret],
  'api/get-problem-page': [],
  'api/not-found': [],
  'queue/intake': [
    table('GetItem', 'Query', 'PutItem', 'UpdateItem', 'BatchWriteItem'),
    sendTo('deliveryQueue'),
    sendTo('intakeDeadLetterQueue'),
  ],
  'queue/deliver': [
    table('GetItem', 'UpdateItem'),
    secretsKey('Decrypt'),
    ...retryScheduling,
    sendTo('deliveryDeadLetterQueue'),
  ],
  'schedule/sweep': [
    { on: 'waitingIndex', actions: ['dynamodb:Query'] },
    table('UpdateItem'),
    sendTo('deliveryQueue'),
  ],
  'schedule/audit': [
    table('Query', 'GetItem', 'UpdateItem'),
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
