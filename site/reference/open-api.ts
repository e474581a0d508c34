import * as z from 'zod';

/** The parts of a JSON Schema that the reference shows. */
const schema = z.object({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  format: z.string().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
  pattern: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  maxItems: z.number().optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), schema).optional();
  },
  get items() {
    return schema.optional();
  },
  get anyOf() {
    return z.array(schema).optional();
  },
  get oneOf() {
    return z.array(schema).optional();
  },
});

const mediaType = z.object({
  schema: schema.optional(),
  example: z.unknown().optional(),
  /** Of a failure: one for each code. */
  examples: z.record(z.string(), z.unknown()).default({}),
});
const content = z.record(z.string(), mediaType);
const parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().default(false),
  description: z.string().optional(),
  schema: schema.default({}),
  example: z.unknown().optional(),
});
const response = z.object({
  description: z.string().default(''),
  content: content.default({}),
});
const operation = z.object({
  operationId: z.string(),
  tags: z.array(z.string()).default([]),
  summary: z.string(),
  description: z.string().optional(),
  security: z.array(z.unknown()).optional(),
  parameters: z.array(parameter).default([]),
  requestBody: z.object({ content }).default({ content: {} }),
  responses: z.record(z.string(), response).default({}),
});
const pathItem = z.record(z.string(), operation);

const document = z.object({
  info: z.object({ summary: z.string(), description: z.string() }),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), pathItem),
  webhooks: z.record(z.string(), pathItem),
  components: z.object({ schemas: z.record(z.string(), schema) }),
});

export type Schema = z.infer<typeof schema>;
export type OpenApi = z.infer<typeof document>;
export type OperationText = z.infer<typeof operation>;
export type ParameterText = z.infer<typeof parameter>;
export type ResponseText = z.infer<typeof response>;
export type MediaType = z.infer<typeof mediaType>;

const schemaPrefix = '#/components/schemas/';

/** Name of a referenced schema. */
export function schemaName(reference: string): string {
  return reference.replace(schemaPrefix, '');
}

/**
 * Reads the members of a document that the reference shows. References to schemas stay; all others are replaced.
 *
 * @throws ZodError when the document has another form
 */
export function readOpenApi(given: unknown): OpenApi {
  const { components } = withComponents.parse(given);
  const replaced: unknown = JSON.parse(JSON.stringify(given), (_name, value) => {
    const reference: unknown = value?.$ref;
    if (typeof reference !== 'string' || reference.startsWith(schemaPrefix)) return value;
    const [, , kind = '', name = ''] = reference.split('/');
    const component = components[kind]?.[name];
    if (component === undefined) throw new Error(`Cannot render the OpenAPI document: it has no "${reference}"`);
    return component;
  });
  return document.parse(replaced);
}

const withComponents = z.object({ components: z.record(z.string(), z.record(z.string(), z.unknown())) });

/** The named schemas of a document. Each is described once: where it is used, or in a section that uses link to. */
export type SchemaBook = {
  readonly named: Readonly<Record<string, Schema>>;
  /** Schemas that are described at their only use, or as the body of an event. */
  readonly inline: ReadonlySet<string>;
};

export function schemaBook({ paths, webhooks, components }: OpenApi): SchemaBook {
  const uses = new Map<string, number>();
  countReferences([paths, components], (name) => uses.set(name, (uses.get(name) ?? 0) + 1));
  const bodies = Object.values(webhooks)
    .flatMap((item) => Object.values(item))
    .flatMap(({ requestBody }) => Object.values(requestBody.content))
    .flatMap(({ schema }) => (schema?.$ref === undefined ? [] : [schemaName(schema.$ref)]));
  const once = [...uses].filter(([, count]) => count === 1).map(([name]) => name);
  return { named: components.schemas, inline: new Set([...once, ...bodies]) };
}

function countReferences(node: unknown, count: (name: string) => void): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === '$ref' && typeof value === 'string') count(schemaName(value));
    else countReferences(value, count);
  }
}

/** The schema that a reference names, with the description of the reference; other schemas as they are. */
export function resolved(schema: Schema, book: SchemaBook): Schema {
  const named = schema.$ref === undefined ? undefined : book.named[schemaName(schema.$ref)];
  if (named === undefined) return schema;
  return { ...named, description: schema.description ?? named.description };
}

/** Name of a schema that is described where this one is used. */
export function inlineName(schema: Schema, book: SchemaBook): string | undefined {
  const name = schema.$ref === undefined ? undefined : schemaName(schema.$ref);
  return name !== undefined && book.inline.has(name) ? name : undefined;
}
