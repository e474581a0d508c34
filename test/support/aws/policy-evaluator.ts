import * as z from 'zod';

/** One action on one resource, with the values of its condition keys. */
export type AccessRequest = {
  /** `dynamodb:GetItem` */
  readonly action: string;
  readonly resource: string;
  /** Values of the condition keys that are part of the request; a key that is not in it is absent. */
  readonly context?: Readonly<Record<string, readonly string[]>>;
};

const texts = z.union([z.string().transform((text) => [text]), z.array(z.string())]);

/** Strict: an unknown member must fail, not be ignored. */
const statementSchema = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(['Allow', 'Deny']),
  Action: texts,
  Resource: texts,
  Condition: z.record(z.string(), z.record(z.string(), texts)).default({}),
});

/** A statement of an identity's policy, without intrinsic functions. */
export type PolicyStatement = z.input<typeof statementSchema>;
type Statement = z.output<typeof statementSchema>;

/** IAM's decision by the policies of an identity: a denial wins, and an action that no statement allows is denied. */
export type Policy = (request: AccessRequest) => boolean;

/** @throws when a statement has an unknown member; the policy refuses an unknown operator */
export function readPolicy(statements: readonly unknown[]): Policy {
  const parsed = statements.map((statement) => statementSchema.parse(statement));
  return (request) => {
    const applying = parsed.filter((statement) => applies(statement, request));
    return applying.length > 0 && applying.every(({ Effect }) => Effect === 'Allow');
  };
}

/** @throws when a statement has an unknown member */
export function isAllowed(statements: readonly unknown[], request: AccessRequest): boolean {
  return readPolicy(statements)(request);
}

function applies({ Action, Resource, Condition }: Statement, request: AccessRequest): boolean {
  const action = request.action.toLowerCase();
  return (
    Action.some((pattern) => isLike(pattern.toLowerCase(), action)) &&
    Resource.some((pattern) => isLike(pattern, request.resource)) &&
    Object.entries(Condition).every(([operator, keys]) =>
      Object.entries(keys).every(([key, wanted]) => holds(operator, wanted, request.context?.[key])),
    )
  );
}

/** `present` is undefined where the request has no such key. */
function holds(operator: string, wanted: readonly string[], present: readonly string[] | undefined): boolean {
  if (operator === 'Null') return wanted.includes(String(present === undefined));
  const [quantifier, name] = operator.includes(':') ? operator.split(':') : ['', operator];
  const matches = matchers[name ?? ''];
  if (matches === undefined) throw new Error(`Cannot evaluate the condition operator ${operator}`);
  const fits = (value: string) => wanted.some((pattern) => matches(pattern, value));
  if (quantifier === 'ForAllValues') return (present ?? []).every(fits);
  if (quantifier === 'ForAnyValue') return (present ?? []).some(fits);
  if (quantifier !== '') throw new Error(`Cannot evaluate the condition operator ${operator}`);
  return present?.length === 1 && present.every(fits);
}

const matchers: Readonly<Record<string, (pattern: string, value: string) => boolean>> = {
  StringEquals: (pattern, value) => pattern === value,
  StringLike: isLike,
  Bool: (pattern, value) => pattern.toLowerCase() === value.toLowerCase(),
};

const patterns = new Map<string, RegExp>();

/** `*` stands for any text, `?` for any one character. */
function isLike(pattern: string, value: string): boolean {
  const known = patterns.get(pattern) ?? compiled(pattern);
  patterns.set(pattern, known);
  return known.test(value);
}

function compiled(pattern: string): RegExp {
  const source = pattern
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's');
}
