import { createHash } from 'node:crypto';

/** Account and region of every resource of a local stack. */
export const localAccount = '000000000000';
export const localRegion = 'us-east-1';

/** Values of `Ref` and `Fn::GetAtt` for one resource. */
export type ResourceIdentity = {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
};

/** `name` is the physical name: from the template, or derived from stack and logical id. */
export type IdentityInput = {
  readonly type: string;
  readonly name: string;
  readonly stackName: string;
  readonly logicalId: string;
  /** Origin of the SQS emulator; queue URLs start with it. */
  readonly sqsUrl: string;
};

/** Property of each resource type that holds its physical name. */
const nameProperties: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::IAM::Role': 'RoleName',
  'AWS::Scheduler::ScheduleGroup': 'Name',
  'AWS::Events::Rule': 'Name',
  'AWS::ApiGateway::Stage': 'StageName',
};

/** Name of the property with the physical name, for types whose physical name matters here. */
export function nameProperty(type: string): string | undefined {
  return nameProperties[type];
}

/** Deterministic, so that kept data stays reachable after a restart. */
export function identityOf(input: IdentityInput): ResourceIdentity {
  return (identityByType[input.type] ?? identityOfOther)(input);
}

const identityByType: Readonly<Record<string, (input: IdentityInput) => ResourceIdentity>> = {
  'AWS::DynamoDB::Table': ({ name }) => named(name, arn('dynamodb', `table/${name}`)),
  'AWS::DynamoDB::GlobalTable': ({ name }) => named(name, arn('dynamodb', `table/${name}`)),
  'AWS::SQS::Queue': ({ name, sqsUrl }) => {
    const url = `${sqsUrl}/${localAccount}/${name}`;
    return { ref: url, attributes: { Arn: arn('sqs', name), QueueName: name, QueueUrl: url } };
  },
  'AWS::Lambda::Function': ({ name }) => named(name, arn('lambda', `function:${name}`)),
  'AWS::IAM::Role': ({ name }) => named(name, `arn:aws:iam::${localAccount}:role/${name}`),
  'AWS::Scheduler::ScheduleGroup': ({ name }) => named(name, arn('scheduler', `schedule-group/${name}`)),
  'AWS::Events::Rule': ({ name }) => named(name, arn('events', `rule/${name}`)),
  'AWS::KMS::Key': (input) => {
    const id = keyId(input);
    return { ref: id, attributes: { Arn: arn('kms', `key/${id}`), KeyId: id } };
  },
  'AWS::ApiGateway::RestApi': ({ logicalId }) => ({
    ref: logicalId,
    attributes: { RootResourceId: `${logicalId}.root`, RestApiId: logicalId },
  }),
  'AWS::ApiGateway::Resource': ({ logicalId }) => ({
    ref: logicalId,
    attributes: { ResourceId: logicalId },
  }),
  'AWS::ApiGateway::Stage': ({ name }) => ({ ref: name, attributes: {} }),
};

function identityOfOther({ type, name }: IdentityInput): ResourceIdentity {
  const service = type.split('::')[1]?.toLowerCase() ?? 'local';
  return named(name, arn(service, name));
}

function named(name: string, resourceArn: string): ResourceIdentity {
  return { ref: name, attributes: { Arn: resourceArn } };
}

function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${localRegion}:${localAccount}:${resource}`;
}

/** KMS key ids are UUIDs. */
function keyId({ stackName, logicalId }: IdentityInput): string {
  const digest = createHash('sha256').update(`${stackName}/${logicalId}`).digest('hex');
  return digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
