import { createHash } from 'node:crypto';

/** Account and region of every resource of a local stack. */
export const localAccount = '000000000000';
export const localRegion = 'us-east-1';

/** Values of `Ref` and `Fn::GetAtt` for one resource. */
export type ResourceIdentity = {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
};

/** Property with the physical name, for the types of which the templates name resources. */
export const nameProperties: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::Stage': 'StageName',
  'AWS::Scheduler::ScheduleGroup': 'Name',
};

/** What precedes the physical name in an ARN that the app uses. */
const arnPrefixes: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::GlobalTable': localArn('dynamodb', 'table/'),
  'AWS::Lambda::Function': localArn('lambda', 'function:'),
  'AWS::IAM::Role': `arn:aws:iam::${localAccount}:role/`,
  'AWS::Scheduler::ScheduleGroup': localArn('scheduler', 'schedule-group/'),
  'AWS::Events::Rule': localArn('events', 'rule/'),
};

/**
 * Deterministic, so that kept data stays reachable after a restart.
 *
 * @param resource `name` is the physical name: from the template, or derived from the names of the stack and resource
 * @param sqsUrl origin of the SQS emulator; queue URLs start with it
 */
export function identityOf(
  resource: {
    readonly type: string;
    readonly name: string;
    readonly stack: string;
    readonly logicalId: string;
  },
  sqsUrl: string,
): ResourceIdentity {
  const { type, name, stack, logicalId } = resource;
  switch (type) {
    case 'AWS::SQS::Queue':
      return {
        ref: `${sqsUrl}/${localAccount}/${name}`,
        attributes: { Arn: localArn('sqs', name), QueueName: name },
      };
    case 'AWS::KMS::Key': {
      const id = keyId(`${stack}/${logicalId}`);
      return { ref: id, attributes: { Arn: localArn('kms', `key/${id}`) } };
    }
    case 'AWS::EC2::SecurityGroup':
      return { ref: name, attributes: { GroupId: name } };
    case 'AWS::ApiGateway::RestApi':
      return { ref: logicalId, attributes: { RootResourceId: `${logicalId}.root` } };
    case 'AWS::ApiGateway::Resource':
      return { ref: logicalId, attributes: {} };
    default: {
      const prefix = arnPrefixes[type] ?? localArn(type.split('::')[1]?.toLowerCase() ?? 'local', '');
      return { ref: name, attributes: { Arn: prefix + name } };
    }
  }
}

export function localArn(service: string, resource: string): string {
  return `arn:aws:${service}:${localRegion}:${localAccount}:${resource}`;
}

/** KMS key ids are UUIDs. */
function keyId(resource: string): string {
  const digest = createHash('sha256').update(resource).digest('hex');
  return digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
