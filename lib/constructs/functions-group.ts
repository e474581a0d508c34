import { type IVpc, Peer, Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';

/** Nothing may connect in. The URL of an endpoint may name any port that belongs to no other protocol. */
export function functionsGroup(scope: Construct, vpc: IVpc): SecurityGroup {
  const group = new SecurityGroup(scope, 'Functions', {
    vpc,
    description: 'Functions that POST to endpoints: TCP out, nothing in',
    allowAllOutbound: false,
  });
  group.addEgressRule(Peer.anyIpv4(), Port.allTcp(), 'Endpoints, and the APIs of AWS');
  return group;
}
