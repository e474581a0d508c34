import { isProblemCode, type ProblemCode, problemCodes } from '#shared/contract/problem-codes.ts';
import { errorLink } from '../error-pages.ts';
import { codeBlock, jsonBlock } from '../highlight.ts';
import { escapeHtml, headingHtml, sentences, tableHtml } from '../html.ts';
import { curlCommand } from './curl.ts';
import type { MediaType, OperationText, ParameterText, ResponseText } from './open-api.ts';
import { membersHtml, membersOf, typeHtml } from './schema-html.ts';

/** A request of the API: its text beside its examples. */
export function operationHtml(page: string, method: string, path: string, operation: OperationText): string {
  const { operationId, summary } = operation;
  const text = [
    headingHtml(3, operationId, escapeHtml(summary), summary),
    `<p class="endpoint"><span class="method">${method}</span> <code>${escapeHtml(path)}</code></p>`,
    descriptionHtml(operation.description),
    parametersHtml('Path parameters', operation.parameters, 'path'),
    parametersHtml('Query parameters', operation.parameters, 'query'),
    bodyHtml('Request body', firstContent(operation.requestBody?.content), true),
    successHtml(operation),
    failuresHtml(page, operation),
  ];
  const examples = [
    example('Request', codeBlock(curlCommand(method, path, operation), 'bash')),
    ...successes(operation).map(([status, response]) => responseExample(status, response)),
  ];
  return section(text, examples);
}

/** A request that an endpoint receives. */
export function eventHtml(name: string, operation: OperationText): string {
  const text = [
    headingHtml(3, operation.operationId, `<code>${escapeHtml(name)}</code>`, name),
    `<p>${sentences(operation.summary)}.</p>`,
    descriptionHtml(operation.description),
    parametersHtml('Headers', operation.parameters, 'header'),
    bodyHtml('Body', firstContent(operation.requestBody?.content), false),
    answersHtml(operation),
  ];
  const body = firstContent(operation.requestBody?.content);
  return section(
    text,
    examplesOf(body).map(([title, value]) => example(title ?? 'Body', jsonBlock(value))),
  );
}

function section(text: readonly string[], examples: readonly string[]): string {
  return (
    `<section class="operation">\n<div class="text">\n${text.join('\n')}</div>\n` +
    `<div class="examples">\n${examples.join('\n')}</div>\n</section>`
  );
}

export function descriptionHtml(description: string | undefined): string {
  if (description === undefined) return '';
  return description
    .split(/\n\n+/)
    .map((paragraph) => `<p>${sentences(paragraph)}</p>\n`)
    .join('');
}

function parametersHtml(title: string, all: readonly ParameterText[], place: ParameterText['in']): string {
  const members = all
    .filter((parameter) => parameter.in === place)
    .map(({ name, description, schema = {}, required = false }) => ({
      name,
      description,
      schema,
      need: place === 'header' ? undefined : required ? ('required' as const) : ('optional' as const),
    }));
  return members.length === 0 ? '' : `<h4>${title}</h4>\n${membersHtml(members)}`;
}

function bodyHtml(title: string, body: MediaType | undefined, isInput: boolean): string {
  if (body?.schema === undefined) return '';
  const members = membersOf(body.schema, isInput);
  const type = members.length === 0 ? `<p class="type">${typeHtml(body.schema)}</p>\n` : membersHtml(members);
  return `<h4>${title}</h4>\n${type}`;
}

function successes({ responses }: OperationText): readonly (readonly [string, ResponseText])[] {
  return Object.entries(responses).filter(([status]) => status.startsWith('2'));
}

function successHtml(operation: OperationText): string {
  return successes(operation)
    .map(([status, response]) => {
      const body = firstContent(response.content);
      const text = descriptionHtml(response.description);
      return `<h4>Response <span class="status">${escapeHtml(status)}</span></h4>\n${text}${withoutTitle(body)}`;
    })
    .join('\n');
}

function withoutTitle(body: MediaType | undefined): string {
  return bodyHtml('', body, false).replace(/^<h4><\/h4>\n/, '');
}

/** What the sender of an event makes of a response. */
function answersHtml({ responses }: OperationText): string {
  const rows = Object.entries(responses).map(([status, { description }]) => [
    `<code>${escapeHtml(status)}</code>`,
    sentences(description),
  ]);
  return rows.length === 0 ? '' : `<h4>Your response</h4>\n${tableHtml(['Status', 'Meaning'], rows)}`;
}

function failuresHtml(page: string, { responses }: OperationText): string {
  const rows = codesOf(responses).map((code) => [
    String(problemCodes[code].status),
    errorLink(page, code),
    escapeHtml(problemCodes[code].title),
  ]);
  if (rows.length === 0) return '';
  return `<details class="failures"><summary>Errors (${rows.length})</summary>\n${tableHtml(['Status', 'Code', 'Title'], rows)}</details>`;
}

function codesOf(responses: OperationText['responses']): readonly ProblemCode[] {
  const named = Object.values(responses).flatMap((response) =>
    Object.keys(response.content?.['application/problem+json']?.examples ?? {}),
  );
  return [...new Set(named.filter(isProblemCode))];
}

function responseExample(status: string, response: ResponseText): string {
  const [first] = examplesOf(firstContent(response.content));
  return first === undefined ? '' : example(`Response ${status}`, jsonBlock(first[1]));
}

function examplesOf(body: MediaType | undefined): readonly (readonly [string | undefined, unknown])[] {
  if (body?.example !== undefined) return [[undefined, body.example]];
  return Object.values(body?.examples ?? {}).map(({ summary, value }) => [summary, value] as const);
}

function example(title: string, code: string): string {
  return `<div class="example"><p>${escapeHtml(title)}</p>\n${code}</div>`;
}

function firstContent(content: Readonly<Record<string, MediaType>> | undefined): MediaType | undefined {
  return Object.values(content ?? {})[0];
}
