import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { networkStackName, stackParts as parts, stackName } from '#shared/contract/deployment.ts';
import { outputsReadIn } from './outputs-read.ts';
import { releases } from './releases.ts';
import { everyOption, lean, ownZone, synthesizeStage } from './synthesized-stage.ts';

/**
 * CloudFormation updates the stacks one after the other. It refuses to remove an export while another stack imports it,
 * so each stack must fit the previous version of the others, with any settings.
 */
const settings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  defaults: {},
  'every option': everyOption,
  'own addresses, without a dashboard and a log role': lean,
  'retained data, and a domain without a zone': ownZone,
};
const names = Object.keys(settings);

const outputSchema = z.looseObject({ Value: z.unknown() });
const templateSchema = z.looseObject({ Outputs: z.record(z.string(), outputSchema).default({}) });

/** A stack by what others see of it. */
type Stack = {
  readonly outputs: z.infer<typeof templateSchema>['Outputs'];
  /** Outputs of other stacks, as `webhooks-dev-data.TableName`. */
  readonly reads: readonly string[];
  readonly stacksRead: readonly string[];
  readonly imports: boolean;
  readonly dependsOn: readonly string[];
};

/** By settings and name of the stack. */
const interfaces = new Map<string, ReadonlyMap<string, Stack>>();

beforeAll(async () => {
  for (const [name, context] of Object.entries(settings)) {
    const { assembly, files } = await synthesizeStage(context);
    // As if all were settings of one stage.
    const named = (text: string) => text.replaceAll('webhooks-prod-', 'webhooks-dev-');
    const stacks = parts.map((part, index) => {
      const text = named(files[index] ?? '');
      const reads = outputsReadIn(JSON.parse(text));
      const deployed = assembly.stacks.find((each) => named(each.stackName) === stackName('dev', part));
      const own = {
        outputs: templateSchema.parse(JSON.parse(text)).Outputs,
        reads: reads.map(({ stack, output }) => `${stack}.${output}`),
        stacksRead: reads.map(({ stack }) => stack),
        imports: text.includes('Fn::ImportValue'),
        dependsOn: deployed?.dependencies.map(({ id }) => named(id)) ?? [],
      };
      return [stackName('dev', part), own] as const;
    });
    interfaces.set(name, new Map(stacks));
  }
});

const stacksOf = (setting: string) => [...(interfaces.get(setting) ?? [])];

describe.each(names)('with %s, the stacks', (setting) => {
  it('the stacks import nothing, so that a later version may stop using any resource', () => {
    expect(stacksOf(setting).filter(([, { imports }]) => imports)).toEqual([]);
  });

  it('every output exists that a stack with any settings, or of a release, reads: an update can be rolled back', () => {
    const known = stacksOf(setting).flatMap(([stack, { outputs }]) =>
      Object.keys(outputs).map((output) => `${stack}.${output}`),
    );
    const readToday = names.flatMap((other) => stacksOf(other).flatMap(([, { reads }]) => reads));
    const readByReleases = releases.flatMap(({ reads }) =>
      reads.map(({ stack, output }) => `${stackName('dev', z.enum(parts).parse(stack))}.${output}`),
    );

    // A deployment without the setting leaves the network as it is: test/infra/network-stack.test.ts.
    const ofNetwork = `${networkStackName('dev')}.`;

    expect(readToday).not.toEqual([]);
    const needed = [...readToday, ...readByReleases].filter((output) => !output.startsWith(ofNetwork));
    expect(needed.filter((output) => !known.includes(output))).toEqual([]);
  });

  it.each(releases)(
    'the stacks still export, unchanged, everything that stacks of $version import, with any settings',
    ({ exports }) => {
      for (const { stack, output, value } of exports) {
        const name = stackName('dev', z.enum(parts).parse(stack));
        expect(interfaces.get(setting)?.get(name)?.outputs[output]).toMatchObject({
          Value: value,
          Export: { Name: `${name}:${output}` },
        });
      }
    },
  );

  it('the stacks are deployed in an order in which every output exists before it is read', () => {
    const stacks = stacksOf(setting);
    const [data, api, delivery] = stacks.map(([stack]) => stack);

    for (const [, { stacksRead, dependsOn }] of stacks) {
      expect(dependsOn).toEqual(expect.arrayContaining([...stacksRead]));
    }
    expect(interfaces.get(setting)?.get(api ?? '')?.dependsOn).toContain(data);
    expect(interfaces.get(setting)?.get(delivery ?? '')?.dependsOn).toEqual(
      expect.arrayContaining([data, api]),
    );
  });
});
