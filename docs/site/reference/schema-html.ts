import { escapeHtml, sentences } from '../html.ts';
import { type Schema, schemaName } from './open-api.ts';

/** Anchor of a named schema on the reference page. */
export function schemaAnchor(name: string): string {
  return `schema-${name}`;
}

/** The type in words, with links to named schemas: `array of Delivery`, `string or null`. */
export function typeHtml(schema: Schema): string {
  const { $ref, type, items, anyOf, oneOf, allOf, format } = schema;
  if ($ref !== undefined) {
    const name = schemaName($ref);
    return `<a href="#${escapeHtml(schemaAnchor(name))}">${escapeHtml(name)}</a>`;
  }
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return distinct(choices.map(typeHtml)).join(' or ');
  if (allOf !== undefined) return distinct(allOf.map(typeHtml)).join(' and ');
  if (schema.const !== undefined) return 'constant';
  const names = typeof type === 'string' ? [type] : (type ?? []);
  const words = names.map((name) => {
    if (name === 'array' && items !== undefined) return `array of ${typeHtml(items)}`;
    return name === 'string' && format !== undefined ? formatName(format) : escapeHtml(name);
  });
  if (words.length > 0) return words.join(' or ');
  return schema.enum === undefined ? 'any' : 'string';
}

function formatName(format: string): string {
  const names: Readonly<Record<string, string>> = { 'date-time': 'timestamp', uri: 'URL' };
  return escapeHtml(names[format] ?? format);
}

function distinct(words: readonly string[]): readonly string[] {
  return [...new Set(words)];
}

/** A named member, with its own members below it. */
export type Member = {
  readonly name: string;
  readonly schema: Schema;
  readonly description?: string | undefined;
  /** `undefined` where a member is neither required nor optional, as in a response. */
  readonly need?: 'required' | 'optional' | undefined;
};

export function membersHtml(members: readonly Member[]): string {
  if (members.length === 0) return '';
  return `<ul class="members">\n${members.map(memberHtml).join('\n')}\n</ul>\n`;
}

function memberHtml({ name, schema, description = schema.description, need }: Member): string {
  const flag = need === undefined ? '' : ` <span class="${need}">${need}</span>`;
  const text = description === undefined ? '' : `<p>${sentences(description)}</p>`;
  const nested = inlineMembers(schema, need !== undefined);
  const more =
    nested.length === 0
      ? ''
      : `<details open><summary>Members of <code>${escapeHtml(name)}</code></summary>${membersHtml(nested)}</details>`;
  return (
    `<li><div class="member"><code>${escapeHtml(name)}</code> <span class="type">${typeHtml(schema)}</span>${flag}</div>` +
    `${text}${constraintsHtml(schema)}${more}</li>`
  );
}

/** Members of an object that has no name, of an array of such objects, or of a choice between one and `null`. */
function inlineMembers(schema: Schema, isInput: boolean): readonly Member[] {
  const choices = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null');
  const [only] = choices;
  if (choices.length === 1 && only !== undefined) return inlineMembers(only, isInput);
  return membersOf(schema.items ?? schema, isInput);
}

/**
 * The members of an object schema.
 *
 * @param isInput whether a client sends it, and so must know what it may leave out
 */
export function membersOf(schema: Schema, isInput: boolean): readonly Member[] {
  const own = Object.entries(schema.properties ?? {}).map(([name, member]): Member => {
    const isRequired = schema.required?.includes(name) === true;
    if (isInput) return { name, schema: member, need: isRequired ? 'required' : 'optional' };
    return { name, schema: member, need: isRequired ? undefined : 'optional' };
  });
  const inherited = (schema.allOf ?? []).flatMap((part) => membersOf(part, isInput));
  return [...inherited, ...own];
}

function constraintsHtml(schema: Schema): string {
  const { enum: values, minimum, maximum, minLength, maxLength, maxItems, pattern } = schema;
  const code = (value: unknown) => `<code>${escapeHtml(JSON.stringify(value) ?? '')}</code>`;
  const constraints = [
    schema.const === undefined ? '' : `Always ${code(schema.const)}`,
    values === undefined ? '' : `One of ${values.map(code).join(', ')}`,
    schema.default === undefined ? '' : `Default ${code(schema.default)}`,
    range(minimum, safe(maximum), ''),
    range(minLength, maxLength, ' characters'),
    range(undefined, maxItems, ' entries'),
    pattern === undefined ? '' : `Matches <code>${escapeHtml(pattern)}</code>`,
  ].filter((text) => text !== '');
  return constraints.length === 0 ? '' : `<p class="constraints">${constraints.join(' · ')}</p>`;
}

/** The largest integer that JSON readers agree on says nothing about a member. */
function safe(maximum: number | undefined): number | undefined {
  return maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
  if (from !== undefined && to !== undefined) return `${from} to ${to}${unit}`;
  if (to !== undefined) return `At most ${to}${unit}`;
  return from === undefined || from <= Number.MIN_SAFE_INTEGER ? '' : `At least ${from}${unit}`;
}
