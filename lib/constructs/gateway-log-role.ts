import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';

/**
 * The actions of AWS's managed policy for this role. API Gateway checks for them on every resource when the role is
 * set. It may refuse a narrower policy, and then the first deployment fails.
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
 * The role that API Gateway uses to write the access logs of every REST API in the account and Region. Retained when
 * the stack is deleted, or its first deployment fails, because other APIs may use it.
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
        'API Gateway uses one role per account and Region for the logs of every API, under any log group name, ' +
        'and refuses a role that cannot create log groups; only API Gateway may assume it',
    });
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    this.setting.applyRemovalPolicy(RemovalPolicy.RETAIN);
  }
}
