import * as z from 'zod';
import type { Resource, ShortNames } from './short-names.ts';

/** One statement of a policy, with short names. */
export type Permission = {
  /** Owner of the policy: folder of a function, name of a role or of another resource. */
  readonly holder: string;
  /** `may`: what the holder may do. `assumed`: who may assume the role. `used`: who may use the resource. */
  readonly kind: 'may' | 'assumed' | 'used';
  readonly effect: 'Allow' | 'Deny';
  /** Empty when the holder itself may. */
  readonly who: string;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions: readonly string[];
};

/** Who may call a function, from which resource, and everything else that limits the calls. */
export type Caller = { readonly folder: string; readonly who: string; readonly from: readonly string[] };

const oneOrMore = <T extends z.ZodType>(item: T) => z.union([z.array(item), item.transform((value) => [value])]);

/** Strict, so that `NotAction` and similar members are not overlooked. */
const statementSchema = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(['Allow', 'Deny']),
  Principal: z.union([z.literal('*'), z.record(z.string(), z.unknown())]).optional(),
  Action: oneOrMore(z.string()),
  Resource: z.unknown().optional(),
  Condition: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});
const documentSchema = z.strictObject({ Version: z.string(), Statement: z.array(statementSchema) });
const attachedSchema = z.strictObject({
  PolicyName: z.string(),
  PolicyDocument: z.unknown(),
  Roles: z.array(z.object({ Ref: z.string() })).min(1),
});
const callerSchema = z
  .object({ FunctionName: z.unknown(), Principal: z.string(), Action: z.string(), SourceArn: z.unknown() })
  .partial({ SourceArn: true })
  .catchall(z.union([z.string(), z.boolean()]));

/** Every statement of every policy in the templates, of any resource. */
export function permissionsOf(names: ShortNames): readonly Permission[] {
  return names.resources.flatMap((resource) =>
    documentsIn(resource).flatMap(({ path, document }) =>
      documentSchema.parse(document).Statement.flatMap((statement) =>
        holdersOf(resource).map((holder) => ({
          holder: names.of(holder),
          kind: kindOf(resource, path),
          ...describe(statement, names),
        })),
      ),
    ),
  );
}

export function callersOf(names: ShortNames): readonly Caller[] {
  const permissions = names.resources.filter(({ type }) => type === 'AWS::Lambda::Permission');
  return permissions.map(({ properties }) => {
    const { FunctionName, Principal, Action, SourceArn, ...limits } = callerSchema.parse(properties);
    const how = Action === 'lambda:InvokeFunction' ? limits : { Action, ...limits };
    return {
      folder: names.of(FunctionName),
      who: Principal,
      from: [
        ...(SourceArn === undefined ? [] : [names.of(SourceArn)]),
        ...Object.entries(how).map(([name, value]) => `${name} ${value}`),
      ],
    };
  });
}

type FoundDocument = { readonly path: readonly string[]; readonly document: unknown };

/** Finds policy documents by their shape, so that no type of resource has to be listed here. */
function documentsIn({ id, type, properties }: Resource): readonly FoundDocument[] {
  if (type === 'AWS::Events::EventBusPolicy') {
    return [{ path: [], document: { Version: '', Statement: [properties.Statement] } }];
  }
  const found = search(properties, []);
  if (type.endsWith('Policy') && found.length === 0) throw new Error(`Cannot read the policy ${id} (${type})`);
  return found;
}

function search(value: unknown, path: readonly string[]): readonly FoundDocument[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('Statement' in value) return [{ path, document: value }];
  return Object.entries(value).flatMap(([key, inner]) => search(inner, [...path, key]));
}

function holdersOf({ id, type, properties }: Resource): readonly unknown[] {
  if (type === 'AWS::IAM::Policy') return attachedSchema.parse(properties).Roles;
  const { Queues, Topics, EventBusName } = properties;
  const bus = EventBusName === undefined ? undefined : [EventBusName];
  return z.array(z.unknown()).parse(Queues ?? Topics ?? bus ?? [{ Ref: id }]);
}

function kindOf({ type }: Resource, path: readonly string[]): Permission['kind'] {
  if (path[0] === 'AssumeRolePolicyDocument') return 'assumed';
  return type === 'AWS::IAM::Policy' || type === 'AWS::IAM::Role' ? 'may' : 'used';
}

function describe(statement: z.infer<typeof statementSchema>, names: ShortNames) {
  const { Effect, Principal, Action, Resource, Condition } = statement;
  const several = (value: unknown) => [value ?? []].flat().map((one) => names.of(one));
  return {
    effect: Effect,
    who: typeof Principal === 'object' ? Object.values(Principal).flatMap(several).join(', ') : (Principal ?? ''),
    actions: Action.toSorted(),
    resources: several(Resource).toSorted(),
    conditions: Object.entries(Condition).flatMap(([operator, keys]) =>
      Object.entries(keys).map(([key, value]) => `${operator} ${key} ${several(value).join(', ')}`),
    ),
  };
}
