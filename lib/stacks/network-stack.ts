import { CfnOutput, Fn, Stack, Validations } from 'aws-cdk-lib';
import {
  CfnEIP,
  GatewayVpcEndpointAwsService,
  IpAddresses,
  type IVpc,
  NatProvider,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import { sourceAddressesOutput } from '#shared/contract/deployment.ts';
import { functionsGroup } from '../constructs/functions-group.ts';
import type { FunctionNetwork } from '../constructs/service-function.ts';
import { maxFixedAddresses as zones } from '../settings/settings.ts';
import { type StageProps, stackPropsOf } from '../settings/stage-props.ts';

const privateSubnets = { subnetType: SubnetType.PRIVATE_WITH_EGRESS } as const;

/**
 * The network of the functions that POST to endpoints, so that their requests come from fixed addresses. A stack of its
 * own: it stays while the setting is removed, so the functions can leave it first, and a rollback finds it.
 */
export class NetworkStack extends Stack {
  readonly network: FunctionNetwork;

  constructor(scope: Construct, id: string, props: StageProps) {
    super(scope, id, stackPropsOf(props, 'network'));
    const addresses = Array.from({ length: props.config.fixedAddresses }, (_, index) => this.makeAddress(index + 1));
    const vpc = this.makeVpc(addresses);
    vpc.addGatewayEndpoint('DynamoDb', {
      service: GatewayVpcEndpointAwsService.DYNAMODB,
      subnets: [privateSubnets],
    });
    this.network = { vpc, securityGroups: [functionsGroup(this, vpc)], vpcSubnets: privateSubnets };
    new CfnOutput(this, sourceAddressesOutput, {
      value: Fn.join(
        ',',
        addresses.map(({ ref }) => ref),
      ),
    });
  }

  /** For other stacks: an output that always exists, as text with commas. */
  sourceAddresses(): string {
    return Fn.getStackOutput(this.stackName, sourceAddressesOutput, this.region);
  }

  private makeAddress(number: number): CfnEIP {
    return new CfnEIP(this, `Address${number}`, { domain: 'vpc' });
  }

  /** Always the same zones and subnets: with one address, the other zone uses the gateway of the first. */
  private makeVpc(addresses: readonly CfnEIP[]): IVpc {
    const vpc = new Vpc(this, 'Vpc', {
      ipAddresses: IpAddresses.cidr('10.0.0.0/20'),
      // By number: which zones an account has is not known without asking AWS.
      availabilityZones: Array.from({ length: zones }, (_, index) => Fn.select(index, Fn.getAzs())),
      natGateways: addresses.length,
      natGatewayProvider: NatProvider.gateway({
        eipAllocationIds: addresses.map(({ attrAllocationId }) => attrAllocationId),
      }),
      subnetConfiguration: [
        { name: 'Public', subnetType: SubnetType.PUBLIC, cidrMask: 24, mapPublicIpOnLaunch: false },
        { name: 'Functions', ...privateSubnets, cidrMask: 24 },
      ],
      // Nothing uses the default group, and restricting it needs a function that may change groups.
      restrictDefaultSecurityGroup: false,
    });
    Validations.of(vpc).acknowledge({
      id: 'AwsSolutions-VPC7',
      reason:
        'Each attempt is logged with its endpoint, outcome and time. A flow log would repeat that for every connection, at ' +
        'the price of a log line',
    });
    // The types of the CDK are not made for exact optional members.
    return vpc as IVpc;
  }
}
