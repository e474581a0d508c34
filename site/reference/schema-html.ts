import { escapeHtml, sentences } from '../html.ts';
import { inlineName, resolved, type Schema, type SchemaBook, schemaName } from './open-api.ts';

/** Anchor of a named schema on the reference page. */
export function schemaAnchor(name: string): string {
  return `schema-${name}`;
}

/** The type in words, with links to named schemas: `array of Delivery`, `string or null`. */
export function typeHtml(schema: Schema): string {
  const { $ref, type, items, anyOf, oneOf, format } = schema;
  if ($ref !== undefined) {
    const name = schemaName($ref);
    return `<a href="#${escapeHtml(schemaAnchor(name))}">${escapeHtml(name)}</a>`;
  }
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeHtml))].join(' or ');
  const names = typeof type === 'string' ? [type] : (type ?? []);
  const words = names.map((name) => {
    if (name === 'array' && items !== undefined) return `array of ${typeHtml(items)}`;
    return name === 'string' && format !== undefined ? formatName(format) : escapeHtml(name);
  });
  if (words.length > 0) return words.join(' or ');
  return schema.enum === undefined && schema.const === undefined ? 'any' : 'string';
}

function formatName(format: string): string {
  const names: Readonly<Record<string, string>> = { 'date-time': 'timestamp', uri: 'URL' };
  return escapeHtml(names[format] ?? format);
}

/** A named member, with its own members below it. */
export type Member = {
  readonly name: string;
  readonly schema: Schema;
  readonly description?: string | undefined;
  /** `undefined` where a member is neither required nor optional, as in a response. */
  readonly need?: 'required' | 'optional' | undefined;
};

export function membersHtml(members: readonly Member[], book: SchemaBook): string {
  if (members.length === 0) return '';
  return `<ul class="members">\n${members.map((member) => memberHtml(member, book)).join('\n')}\n</ul>\n`;
}

function memberHtml({ name, schema, need, ...given }: Member, book: SchemaBook): string {
  const shown = resolved(schema, book);
  const description = given.description ?? schema.description ?? ownDescription(shown, schema, book);
  const flag = need === undefined ? '' : ` <span class="${need}">${need}</span>`;
  const text = description === undefined ? '' : `<p>${sentences(description)}</p>`;
  return (
    `<li${anchorOf(schema, book)}><div class="member"><code>${escapeHtml(name)}</code> ` +
    `<span class="type">${typeHtml(schema)}</span>${flag}</div>` +
    `${text}${constraintsHtml(shown)}${nestedHtml(name, schema, need !== undefined, book)}</li>`
  );
}

/** The section of a schema has its description. */
function ownDescription(shown: Schema, schema: Schema, book: SchemaBook): string | undefined {
  return schema.$ref === undefined || inlineName(schema, book) !== undefined ? shown.description : undefined;
}

/** A schema that is described at its use has its anchor there. */
function anchorOf(schema: Schema, book: SchemaBook): string {
  const name = inlineName(describedBy(schema), book);
  return name === undefined ? '' : ` id="${escapeHtml(schemaAnchor(name))}"`;
}

function nestedHtml(name: string, schema: Schema, isInput: boolean, book: SchemaBook): string {
  const described = describedBy(schema);
  const hasSection = described.$ref !== undefined && inlineName(described, book) === undefined;
  const members = hasSection ? [] : membersOf(resolved(described, book), isInput);
  if (members.length === 0) return '';
  const title = `<summary>Members of <code>${escapeHtml(name)}</code></summary>`;
  return `<details open>${title}${membersHtml(members, book)}</details>`;
}

/** The schema of the members: that of the elements of an array, or the only choice besides `null`. */
function describedBy(schema: Schema): Schema {
  const choices = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null');
  const [only] = choices;
  if (choices.length === 1 && only !== undefined) return describedBy(only);
  return schema.items === undefined ? schema : describedBy(schema.items);
}

/**
 * The members of an object schema.
 *
 * @param isInput whether a client sends it, and so must know what it may leave out
 */
export function membersOf(schema: Schema, isInput: boolean): readonly Member[] {
  return Object.entries(schema.properties ?? {}).map(([name, member]): Member => {
    const isRequired = schema.required?.includes(name) === true;
    if (isInput) return { name, schema: member, need: isRequired ? 'required' : 'optional' };
    return { name, schema: member, need: isRequired ? undefined : 'optional' };
  });
}

/** A body: the members of a schema that is described here, or a link to its section. */
export function bodyHtml(schema: Schema, isInput: boolean, book: SchemaBook): string {
  const hasSection = schema.$ref !== undefined && inlineName(schema, book) === undefined;
  const members = hasSection ? [] : membersOf(resolved(schema, book), isInput);
  const name = inlineName(schema, book);
  const type = name === undefined ? typeHtml(schema) : `<code>${escapeHtml(name)}</code>`;
  return `<p class="body-type"${anchorOf(schema, book)}>${type}</p>\n${membersHtml(members, book)}`;
}

/** What a value may be, beyond its type. */
export function constraintsHtml(schema: Schema): string {
  const { enum: values, minimum, maximum, minLength, maxLength, maxItems, pattern } = schema;
  const code = (value: unknown) => `<code>${escapeHtml(shortText(value))}</code>`;
  const constraints = [
    schema.const === undefined ? '' : `Always ${code(schema.const)}`,
    values === undefined ? '' : `One of ${values.map(code).join(', ')}`,
    schema.default === undefined ? '' : `Default ${code(schema.default)}`,
    range(minimum, maximum, ''),
    range(minLength === 1 ? undefined : minLength, maxLength, ' characters'),
    range(undefined, maxItems, ' entries'),
    pattern === undefined ? '' : patternHtml(pattern),
  ].filter((text) => text !== '');
  return constraints.length === 0 ? '' : `<p class="constraints">${constraints.join(' · ')}</p>`;
}

function shortText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Most patterns only fix how a text begins. The description says in words what the others allow. */
function patternHtml(pattern: string): string {
  const prefix = /^\^([\w:/]+)$/.exec(pattern)?.[1];
  return prefix === undefined ? '' : `Starts with <code>${prefix}</code>`;
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
  if (from !== undefined && to !== undefined) return `${from} to ${to}${unit}`;
  if (to !== undefined) return `At most ${to}${unit}`;
  return from === undefined || from === 0 ? '' : `At least ${from}${unit}`;
}
