import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { sourceAddressesOutput } from '#shared/contract/deployment.ts';
import { everyOption, lean, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

const stage = await synthesizeStage(everyOption);
const one = await synthesizeStage(lean);
const defaults = await synthesizeStage();

const posting = ['api/register-webhook', 'queue/deliver', 'queue/deliver-slow'];

function networkOf({ network }: SynthesizedStage): Template {
  if (network === undefined) throw new Error('The stage has no network');
  return network;
}

/** Routes to the internet, as pairs of a route table and a gateway. */
function gatewaysOf(template: Template): readonly unknown[] {
  return Object.values(template.findResources('AWS::EC2::Route')).flatMap(({ Properties }) =>
    Properties.NatGatewayId === undefined ? [] : [Properties.NatGatewayId.Ref],
  );
}

it('without the setting, no stage has a network, and nothing of the stage mentions one', () => {
  expect(defaults.network).toBeUndefined();
  expect(defaults.assembly.stacks).toHaveLength(3);
  expect(defaults.files.join()).not.toMatch(/AWS::EC2|ec2:|VpcConfig|SOURCE_ADDRESSES/);
});

it('the setting changes no resource of the data stack, so nothing that holds state moves with it', () => {
  expect(one.data.toJSON().Resources).toEqual(defaults.data.toJSON().Resources);
});

it('exactly the functions that POST to endpoints are in the network, in both zones', () => {
  const functions = [stage.api, stage.delivery].flatMap((template) =>
    Object.values(template.findResources('AWS::Lambda::Function')),
  );

  const inside = functions.filter(({ Properties }) => Properties.VpcConfig !== undefined);

  expect(inside.map(({ Properties }) => Properties.Description).toSorted()).toEqual(
    posting.map((folder) => `prod: ${folder}`),
  );
  for (const { Properties } of inside) {
    expect(Properties.VpcConfig.SubnetIds).toHaveLength(2);
    expect(Properties.VpcConfig.SecurityGroupIds).toHaveLength(1);
    expect(Properties.VpcConfig).not.toHaveProperty('Ipv6AllowedForDualStack');
  }
});

describe.each([
  [1, one],
  [2, stage],
])('with fixedAddresses=%i', (count, { network }) => {
  const template = networkOf({ ...stage, network });

  it('each address belongs to a NAT gateway, and the output lists all', () => {
    const addresses = Object.keys(template.findResources('AWS::EC2::EIP'));
    const used = Object.values(template.findResources('AWS::EC2::NatGateway')).map(
      ({ Properties }) => Properties.AllocationId['Fn::GetAtt'][0],
    );

    expect(addresses).toHaveLength(count);
    expect(used).toEqual(addresses);
    template.hasOutput(sourceAddressesOutput, {
      Value: count === 1 ? { Ref: 'Address1' } : { 'Fn::Join': [',', addresses.map((Ref) => ({ Ref }))] },
    });
  });

  it('both zones reach the internet through the gateways only, and DynamoDB without them', () => {
    const gateways = gatewaysOf(template);

    expect(gateways).toHaveLength(2);
    expect(new Set(gateways).size).toBe(count);
    template.hasResourceProperties('AWS::EC2::VPCEndpoint', {
      VpcEndpointType: 'Gateway',
      ServiceName: { 'Fn::Join': ['', ['com.amazonaws.', { Ref: 'AWS::Region' }, '.dynamodb']] },
      RouteTableIds: [{ Ref: Match.anyValue() }, { Ref: Match.anyValue() }],
    });
  });

  it('nothing may connect to the functions, and they may connect to IPv4 only, over TCP', () => {
    template.hasResourceProperties('AWS::EC2::SecurityGroup', {
      SecurityGroupIngress: Match.absent(),
      SecurityGroupEgress: [
        {
          CidrIp: '0.0.0.0/0',
          IpProtocol: 'tcp',
          FromPort: 0,
          ToPort: 65_535,
          Description: Match.anyValue(),
        },
      ],
    });
    template.resourceCountIs('AWS::EC2::SecurityGroup', 1);
    expect(JSON.stringify(template.toJSON())).not.toContain('Ipv6');
  });
});

it('another number of addresses changes no subnet, which could not be removed while functions use it', () => {
  const subnets = (of: SynthesizedStage) => networkOf(of).findResources('AWS::EC2::Subnet');
  const ranges = (of: SynthesizedStage) =>
    Object.entries(subnets(of)).map(([id, { Properties }]) => [id, Properties.CidrBlock]);

  expect(ranges(one)).toHaveLength(4);
  expect(ranges(one)).toEqual(ranges(stage));
});

it('the network depends on no other stack, so the functions can leave it before it is removed', () => {
  expect(JSON.stringify(networkOf(stage).toJSON())).not.toMatch(/Fn::(GetStackOutput|ImportValue)/);
});

it('only Lambda itself may make network interfaces with the roles, not the code of the functions', () => {
  const statement = {
    Action: Match.arrayWith(['ec2:CreateNetworkInterface', 'ec2:DeleteNetworkInterface']),
    Condition: { Null: { 'lambda:SourceFunctionArn': 'true' } },
    Effect: 'Allow',
    Resource: '*',
  };
  const policies = [stage.api, stage.delivery].flatMap((template) =>
    Object.keys(
      template.findResources('AWS::IAM::Policy', {
        Properties: { PolicyDocument: { Statement: Match.arrayWith([statement]) } },
      }),
    ),
  );

  expect(policies).toHaveLength(posting.length);
  const all = stage.files.join().match(/ec2:CreateNetworkInterface/g);
  expect(all).toHaveLength(posting.length);
});
