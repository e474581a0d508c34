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
    if (component === undefined)
      throw new Error(`Cannot render the OpenAPI document: it has no "${reference}"`);
    return component;
  });
  return document.parse(replaced);
}

const withComponents = z.object({ components: z.record(z.string(), z.record(z.string(), z.unknown())) });
