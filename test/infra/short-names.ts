import * as z from 'zod';
import type { SynthesizedStage } from './synthesized-stage.ts';

export type Resource = {
  readonly id: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
};

const templateSchema = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) }),
  ),
  Outputs: z.record(z.string(), z.object({ Value: z.unknown() })).default({}),
});

const functionSchema = z.object({
  Description: z.string(),
  Role: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }),
  LoggingConfig: z.object({ LogGroup: z.object({ Ref: z.string() }) }),
});

const referenceSchema = z.union([
  z.strictObject({ Ref: z.string() }).transform(({ Ref }) => ({ id: Ref })),
  z
    .strictObject({ 'Fn::GetAtt': z.tuple([z.string(), z.enum(['Arn', 'QueueName'])]) })
    .transform((reference) => ({ id: reference['Fn::GetAtt'][0] })),
  z
    .strictObject({ 'Fn::GetStackOutput': z.object({ StackName: z.string(), OutputName: z.string() }) })
    .transform((reference) => ({ read: reference['Fn::GetStackOutput'].OutputName })),
  z
    .strictObject({ 'Fn::Join': z.tuple([z.literal(''), z.array(z.unknown())]) })
    .transform((reference) => ({ parts: reference['Fn::Join'][1] })),
]);

/** The resources of a template. */
export function resourcesIn(text: string): readonly Resource[] {
  const { Resources } = templateSchema.parse(JSON.parse(text));
  return Object.entries(Resources).map(([id, { Type: type, Properties: properties }]) => ({
    id,
    type,
    properties,
  }));
}

/** The resources of a stage's templates, with readable names. */
export class ShortNames {
  readonly resources: readonly Resource[];
  /** Folders of the functions. */
  readonly functions: readonly string[];
  private readonly names: ReadonlyMap<string, string>;
  private readonly outputs: ReadonlyMap<string, unknown>;

  constructor(stage: SynthesizedStage) {
    this.resources = stage.files.flatMap(resourcesIn);
    const outputs = stage.files.flatMap((text) => Object.entries(templateSchema.parse(JSON.parse(text)).Outputs));
    this.outputs = new Map(outputs.map(([name, { Value }]) => [name, Value]));
    const functions = this.resources.filter(({ type }) => type === 'AWS::Lambda::Function').map(namesOfOne);
    this.functions = functions.map(({ folder }) => folder);
    const stages = this.resources.filter(({ type }) => type === 'AWS::ApiGateway::Stage');
    this.names = new Map([
      ...functions.flatMap(({ names }) => names),
      ...stages.map(({ id }) => [id, '<Stage>'] as const),
    ]);
  }

  /** A value of a template as text: `table/index/waiting`, `log of queue/deliver`, `this account`. */
  of(value: unknown): string {
    if (typeof value === 'string') return value;
    const reference = referenceSchema.parse(value);
    if ('id' in reference) return this.nameOf(reference.id);
    if ('read' in reference) return this.of(this.outputs.get(reference.read));
    return shorten(reference.parts.map((part) => this.of(part)).join(''));
  }

  private nameOf(id: string): string {
    return this.names.get(id) ?? (id.startsWith('AWS::') ? `<${id.slice(5)}>` : readable(id));
  }
}

/** The role and the log of a function are named after it. */
function namesOfOne({ id, properties }: Resource) {
  const { Description, Role, LoggingConfig } = functionSchema.parse(properties);
  const folder = Description.replace(/^.*: /, '');
  const names: [string, string][] = [
    [id, folder],
    [Role['Fn::GetAtt'][0], folder],
    [LoggingConfig.LogGroup.Ref, `log of ${folder}`],
  ];
  return { folder, names };
}

/** `IntakeDeadLettersA15864BB` → `intake dead letters`. */
function readable(id: string): string {
  const words = id.replace(/[0-9A-F]{8}$/, '').replace(/([a-z0-9])([A-Z])/g, '$1 $2');
  return words.toLowerCase();
}

/** Removes the parts that all ARNs of this stage share: partition, Region, account, name of the stack. */
function shorten(text: string): string {
  return text
    .replace('arn:<Partition>:iam::<AccountId>:root', 'this account')
    .replace('arn:<Partition>:', '')
    .replace('<Region>:<AccountId>:', '')
    .replace(/webhooks\w+-(\w+)-[0-9A-F]{8}/, (_match, name: string) => readable(name));
}
