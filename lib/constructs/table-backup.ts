import { Arn, ArnFormat, Duration, type RemovalPolicy, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { AccountPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';

export type TableBackupProps = {
  /**
   * Of the vault and the plan. Given, not generated: the CDK makes a name of the place in the app, and a vault with
   * another name is another vault.
   */
  readonly name: string;
  readonly table: TableV2;
  /** Days for which a backup and its copy are kept. */
  readonly days: number;
  /** ARN of a vault that gets a copy of each backup; `undefined`: none does. */
  readonly copyTo: string | undefined;
  readonly removalPolicy: RemovalPolicy;
};

/** What AWS Backup does with the key of a vault, as the account that a copy goes to. */
const copyActions = ['kms:Decrypt', 'kms:DescribeKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'];

/**
 * A daily backup of the table. The vault has a key of its own: backups under the key of AWS cannot be copied to another
 * account, and a vault whose key changes is replaced.
 */
export class TableBackup extends Construct {
  constructor(scope: Construct, id: string, props: TableBackupProps) {
    super(scope, id);
    const { name, table, days, copyTo, removalPolicy } = props;
    const key = new Key(this, 'Key', {
      description: 'Backups of the table of webhooks',
      enableKeyRotation: true,
      removalPolicy,
    });
    const vault = new BackupVault(this, 'Vault', {
      backupVaultName: name,
      encryptionKey: key,
      removalPolicy,
    });
    const plan = new BackupPlan(this, 'Plan', { backupPlanName: name, backupVault: vault });
    const deleteAfter = Duration.days(days);
    const destination = copyTo === undefined ? undefined : this.admit(copyTo, key);
    plan.addRule(
      new BackupPlanRule({
        ruleName: 'daily',
        deleteAfter,
        copyActions: destination === undefined ? [] : [{ destinationBackupVault: destination, deleteAfter }],
      }),
    );
    const selection = plan.addSelection('Table', { resources: [BackupResource.fromDynamoDbTable(table)] });
    Validations.of(selection).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]',
      reason: 'Only AWS Backup may assume the role, and AWS keeps its policy in step with what the service does',
    });
  }

  /** The account of the vault reads backups with the key. */
  private admit(vaultArn: string, key: Key) {
    const { account = '' } = Arn.split(vaultArn, ArnFormat.COLON_RESOURCE_NAME);
    const copier = new AccountPrincipal(account);
    key.grant(copier, ...copyActions);
    // It can pass its access on to services of AWS, and to nobody else.
    key.addToResourcePolicy(
      new PolicyStatement({
        principals: [copier],
        actions: ['kms:CreateGrant'],
        resources: ['*'],
        conditions: { Bool: { 'kms:GrantIsForAWSResource': 'true' } },
      }),
    );
    return BackupVault.fromBackupVaultArn(this, 'CopyTo', vaultArn);
  }
}
