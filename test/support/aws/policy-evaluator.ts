import * as z from 'zod';

/** One action on one resource, and what the service tells IAM about it. */
export type AccessRequest = {
  /** `dynamodb:GetItem` */
  readonly action: string;
  readonly resource: string;
  /** Values of the condition keys that are part of the request; a key that is not in it is absent. */
  readonly context?: Readonly<Record<string, readonly string[]>>;
};

const texts = z.union([z.string().transform((text) => [text]), z.array(z.string())]);

/** Strict: what is not understood here must not be passed over. */
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

/** What IAM decides by the policies of an identity: a denial wins, and what no statement allows is denied. */
export type Policy = (request: AccessRequest) => boolean;

/** @throws when a statement has a member that is not known here; an unknown operator is refused by the policy */
export function readPolicy(statements: readonly unknown[]): Policy {
  const parsed = statements.map((statement) => statementSchema.parse(statement));
  return (request) => {
    const applying = parsed.filter((statement) => applies(statement, request));
    return applying.length > 0 && applying.every(({ Effect }) => Effect === 'Allow');
  };
}

/** @throws when a statement holds something that is not known here */
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
