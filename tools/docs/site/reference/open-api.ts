import * as z from 'zod';

/** The parts of a JSON Schema that the reference shows. */
export type Schema = {
  readonly $ref?: string | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly format?: string | undefined;
  readonly const?: unknown;
  readonly enum?: readonly unknown[] | undefined;
  readonly default?: unknown;
  readonly pattern?: string | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: Schema | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly oneOf?: readonly Schema[] | undefined;
  readonly allOf?: readonly Schema[] | undefined;
  readonly additionalProperties?: boolean | Schema | undefined;
  readonly examples?: readonly unknown[] | undefined;
  readonly example?: unknown;
};

const schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
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
    properties: z.record(z.string(), schema).optional(),
    required: z.array(z.string()).optional(),
    items: schema.optional(),
    anyOf: z.array(schema).optional(),
    oneOf: z.array(schema).optional(),
    allOf: z.array(schema).optional(),
    additionalProperties: z.union([z.boolean(), schema]).optional(),
    examples: z.array(z.unknown()).optional(),
    example: z.unknown().optional(),
  }),
);

const examples = z.record(z.string(), z.object({ summary: z.string().optional(), value: z.unknown() }));
const mediaType = z.object({
  schema: schema.optional(),
  example: z.unknown().optional(),
  examples: examples.optional(),
});
const content = z.record(z.string(), mediaType);
const header = z.object({
  description: z.string().optional(),
  schema: schema.optional(),
  example: z.unknown().optional(),
});
const parameter = header.extend({
  name: z.string(),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  required: z.boolean().optional(),
});
const response = z.object({
  description: z.string().default(''),
  headers: z.record(z.string(), header).optional(),
  content: content.optional(),
});
const operation = z.object({
  operationId: z.string(),
  tags: z.array(z.string()).default([]),
  summary: z.string(),
  description: z.string().optional(),
  security: z.array(z.unknown()).optional(),
  parameters: z.array(parameter).default([]),
  requestBody: z.object({ description: z.string().optional(), content }).optional(),
  responses: z.record(z.string(), response).default({}),
});
const pathItem = z.record(z.string(), operation);

const document = z.object({
  info: z.object({
    title: z.string(),
    version: z.string(),
    summary: z.string().optional(),
    description: z.string().optional(),
  }),
  tags: z.array(z.object({ name: z.string(), description: z.string().optional() })).default([]),
  paths: z.record(z.string(), pathItem),
  webhooks: z.record(z.string(), pathItem).default({}),
  components: z.object({ schemas: z.record(z.string(), schema).default({}) }).default({ schemas: {} }),
});

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
  return document.parse(withoutReferences(given, given));
}

function withoutReferences(node: unknown, root: unknown): unknown {
  if (Array.isArray(node)) return node.map((member) => withoutReferences(member, root));
  if (typeof node !== 'object' || node === null) return node;
  const reference = Object.entries(node).find(([name]) => name === '$ref')?.[1];
  if (typeof reference === 'string' && !reference.startsWith(schemaPrefix)) {
    return withoutReferences(found(reference, root), root);
  }
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, withoutReferences(value, root)]),
  );
}

function found(reference: string, root: unknown): unknown {
  const names = reference
    .replace(/^#\//, '')
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  let node = root;
  for (const name of names) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) {
      throw new Error(`Cannot render the OpenAPI document: it has no "${reference}"`);
    }
    node = Object.entries(node).find(([member]) => member === name)?.[1];
  }
  return node;
}
