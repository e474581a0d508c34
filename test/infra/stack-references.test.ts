import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { stackParts as parts, type StackPart, stackName } from '#shared/contract/deployment.ts';
import { type OutputRead, objectsIn, outputsReadIn } from './outputs-read.ts';
import { releases } from './releases.ts';
import { everyOption, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

/**
 * CloudFormation updates the stacks one after the other. It refuses to remove an export while another stack imports it,
 * so each stack must fit the previous version of the others, with any settings.
 */
const stage = 'same';
const { domainName = '', certificateArn = '' } = everyOption;
const settings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  defaults: {},
  'every option': everyOption,
  'a base address': { baseUrl: 'https://api.example.com' },
  'a documentation address': { docsUrl: 'https://docs.example.com' },
  'a domain without a zone': { domainName, certificateArn },
  'retained data': { retainData: 'true' },
  'mails of alarms': { alarmEmail: 'ops@example.com' },
  'the log role of the account': { apiGatewayLogRole: 'existing' },
  'no dashboard': { dashboard: 'false' },
  'no alarms by mail, but tokens': { tokenIssuer: 'https://issuer.example.com', tokenAudience: 'x' },
};
const names = Object.keys(settings);
const pairs = names.flatMap((before) => names.map((after) => [before, after] as const));

type Output = { readonly value: unknown; readonly exportName: string | undefined };
type Interface = {
  readonly outputs: ReadonlyMap<string, Output>;
  readonly imports: ReadonlySet<string>;
  readonly reads: readonly OutputRead[];
  readonly dependsOn: readonly string[];
};

const templateSchema = z.looseObject({
  Outputs: z
    .record(z.string(), z.object({ Value: z.unknown(), Export: z.object({ Name: z.string() }).optional() }))
    .default({}),
});
const importSchema = z.strictObject({ 'Fn::ImportValue': z.string() });
const manifestSchema = z.object({
  artifacts: z.record(z.string(), z.looseObject({ dependencies: z.array(z.string()).default([]) })),
});

const stages = new Map<string, SynthesizedStage>();
const interfaces = new Map<string, ReadonlyMap<StackPart, Interface>>();

beforeAll(async () => {
  for (const [name, context] of Object.entries(settings)) {
    const synthesized = await synthesizeStage({ ...context, stage });
    stages.set(name, synthesized);
    interfaces.set(name, await interfacesOf(synthesized));
  }
}, 120_000);

afterAll(() => Promise.all([...stages.values()].map(({ remove }) => remove())));

describe('a stage that was deployed with', () => {
  it.each(pairs)(
    'a stage with %s can be updated to %s: no stack loses an export that another stack imports',
    (before, after) => {
      for (const consumer of parts) {
        for (const imported of stackOf(before, consumer).imports) {
          const exported = parts.flatMap((part) => [...stackOf(after, part).outputs.values()]);
          expect(exported.map(({ exportName }) => exportName)).toContain(imported);
        }
      }
    },
  );

  it.each(pairs)(
    'a stage with %s can be rolled back from %s: every output that was read still exists',
    (before, after) => {
      const reads = parts.flatMap((part) => stackOf(before, part).reads);

      const missing = reads.filter(({ stack, output }) => !stackNamed(after, stack).outputs.has(output));

      expect(reads.length).toBeGreaterThan(0);
      expect(missing).toEqual([]);
    },
  );
});

describe.each(names)('with %s, the stacks', (setting) => {
  it('the stacks import nothing, so that a later version may stop using any resource', () => {
    expect(parts.flatMap((part) => [...stackOf(setting, part).imports])).toEqual([]);
  });

  it.each(releases)(
    'the stacks still export, unchanged, everything that stacks of $version import, with any settings',
    ({ exports }) => {
      for (const { stack, output, value } of exports) {
        const part = z.enum(parts).parse(stack);
        expect(stackOf(setting, part).outputs.get(output)).toEqual({
          value,
          exportName: `${stackName(stage, part)}:${output}`,
        });
      }
    },
  );

  it.each(releases)(
    'an update from $version, with any settings, can be rolled back: every output that its stacks read exists',
    ({ reads }) => {
      const missing = reads.filter(
        ({ stack, output }) => !stackOf(setting, z.enum(parts).parse(stack)).outputs.has(output),
      );

      expect(missing).toEqual([]);
    },
  );

  it('the stacks are deployed in an order in which every output exists before it is read', () => {
    for (const part of parts) {
      const { reads, dependsOn } = stackOf(setting, part);
      expect(dependsOn).toEqual(expect.arrayContaining(reads.map(({ stack }) => stack)));
    }
    expect(stackOf(setting, 'api').dependsOn).toContain(stackName(stage, 'data'));
    expect(stackOf(setting, 'delivery').dependsOn).toContain(stackName(stage, 'data'));
    expect(stackOf(setting, 'delivery').dependsOn).toContain(stackName(stage, 'api'));
  });
});

function stackOf(setting: string, part: StackPart): Interface {
  const found = interfaces.get(setting)?.get(part);
  if (found === undefined) throw new Error(`No ${part} stack found with ${setting}`);
  return found;
}

function stackNamed(setting: string, name: string): Interface {
  const part = parts.find((candidate) => stackName(stage, candidate) === name);
  if (part === undefined) throw new Error(`No stack named ${name}`);
  return stackOf(setting, part);
}

async function interfacesOf({ outDir }: SynthesizedStage): Promise<ReadonlyMap<StackPart, Interface>> {
  const manifest = manifestSchema.parse(await readJson(join(outDir, 'manifest.json')));
  const entries = parts.map(async (part) => {
    const name = stackName(stage, part);
    const template = templateSchema.parse(await readJson(join(outDir, `${name}.template.json`)));
    const outputs = Object.entries(template.Outputs).map(
      ([id, { Value, Export }]) => [id, { value: Value, exportName: Export?.Name }] as const,
    );
    const functions = objectsIn(template);
    const found: Interface = {
      outputs: new Map(outputs),
      imports: new Set(functions.flatMap((value) => importedBy(value))),
      reads: outputsReadIn(template),
      dependsOn: manifest.artifacts[name]?.dependencies ?? [],
    };
    return [part, found] as const;
  });
  return new Map(await Promise.all(entries));
}

function importedBy(value: object): readonly string[] {
  const parsed = importSchema.safeParse(value);
  return parsed.success ? [parsed.data['Fn::ImportValue']] : [];
}

async function readJson(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, 'utf8'));
}
