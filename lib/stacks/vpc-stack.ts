import { Annotations, CrossStackReferences, Fn, ReferenceStrength, Stack } from 'aws-cdk-lib';
import { Subnet, Vpc } from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import { functionsGroup } from '../constructs/functions-group.ts';
import type { FunctionNetwork } from '../constructs/service-function.ts';
import type { GivenVpc } from '../settings/config.ts';
import { type StageProps, stackPropsOf } from '../settings/stage-props.ts';

/**
 * The place of the functions that POST to endpoints in a network that exists: only their security group. Another stack
 * than that of an own network, so that a stage moves between the two in one deployment.
 */
export class VpcStack extends Stack {
  readonly network: FunctionNetwork;
  private readonly addresses: readonly string[] | undefined;

  constructor(scope: Construct, id: string, props: StageProps & { readonly vpc: GivenVpc }) {
    super(scope, id, stackPropsOf(props, 'vpc'));
    // A network of another stack is imported: another one replaces the group, which CloudFormation may plan for a weak
    // reference, whose value it does not know until it updates the stack.
    CrossStackReferences.of(this).consume(ReferenceStrength.STRONG);
    const { id: vpcId, subnetIds } = props.vpc;
    // Nothing asks for the zones, and which ones they are is not known without asking AWS.
    const vpc = Vpc.fromVpcAttributes(this, 'Vpc', { vpcId, availabilityZones: [Fn.select(0, Fn.getAzs())] });
    const subnets = subnetIds.map((each, index) => Subnet.fromSubnetId(this, `Subnet${index + 1}`, each));
    for (const subnet of subnets)
      Annotations.of(subnet).acknowledgeWarning('@aws-cdk/aws-ec2:noSubnetRouteTableId', 'No route is added');
    this.network = { vpc, securityGroups: [functionsGroup(this, vpc)], vpcSubnets: { subnets } };
    this.addresses = props.config.vpcAddresses;
  }

  /** As text with commas; `undefined` when no setting says them. */
  sourceAddresses(): string | undefined {
    return this.addresses?.join(',');
  }
}
