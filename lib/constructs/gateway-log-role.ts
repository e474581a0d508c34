import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';

/**
 * Those that API Gateway looks for when the role is set, on every resource, as AWS's own policy for this role has it: one
 * that is narrower may be refused, and the first deployment with it.
 */
const actions = [
  'logs:CreateLogGroup',
  'logs:CreateLogStream',
  'logs:DescribeLogGroups',
  'logs:DescribeLogStreams',
  'logs:PutLogEvents',
  'logs:GetLogEvents',
  'logs:FilterLogEvents',
];

/**
 * The role through which API Gateway writes the access logs of every REST API of the account and Region. It is
 * kept when the stack is deleted, since other APIs may have come to rely on it.
 */
export class GatewayLogRole extends Construct {
  /** The setting that a stage with an access log depends on. */
  readonly setting: CfnAccount;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: {
        WriteLogs: new PolicyDocument({ statements: [new PolicyStatement({ actions, resources: ['*'] })] }),
      },
    });
    this.setting = new CfnAccount(this, 'Setting', { cloudWatchRoleArn: role.roleArn });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'API Gateway knows one role per account and Region for the logs of every API, whatever their names, ' +
        'and refuses a role that may not make log groups; only API Gateway may assume it',
    });
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    this.setting.applyRemovalPolicy(RemovalPolicy.RETAIN);
  }
}
