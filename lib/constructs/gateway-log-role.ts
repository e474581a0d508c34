import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';

/**
 * API Gateway checks for these actions on every resource when the role is set, as in AWS's managed policy for this role.
 * It may refuse a narrower policy, and then the first deployment fails.
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
 * The role through which API Gateway writes the access logs of every REST API of the account and Region. It is retained
 * when the stack is deleted, because other APIs may use it.
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
        'API Gateway knows one role per account and Region for the logs of every API, with any name, ' +
        'and refuses a role that may not make log groups; only API Gateway may assume it',
    });
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    this.setting.applyRemovalPolicy(RemovalPolicy.RETAIN);
  }
}
