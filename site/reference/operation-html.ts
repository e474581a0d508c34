import { isProblemCode, type ProblemCode, problemCodes } from '#shared/contract/problem-codes.ts';
import { codeBlock, jsonBlock } from '../highlight.ts';
import { escapeHtml, exampleHtml, headingHtml, sectionHtml, sentences, tableHtml } from '../html.ts';
import { renderFragment } from '../markdown.ts';
import { problemLink } from '../page-list.ts';
import type { MediaType, OperationText, ParameterText, ResponseText, SchemaBook } from './open-api.ts';
import { bodyHtml, membersHtml } from './schema-html.ts';

/** Where an operation is shown. */
export type Place = { readonly page: string; readonly book: SchemaBook };

/** A request of the API: its text beside its examples. */
export function operationHtml({ page, book }: Place, method: string, path: string, operation: OperationText): string {
  const { operationId, summary, requestBody } = operation;
  const body = firstContent(requestBody.content)?.schema;
  const text = [
    headingHtml(3, operationId, escapeHtml(summary), summary),
    `<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code></p>`,
    descriptionHtml(page, operation.description),
    parametersHtml('Path parameters', operation.parameters, 'path', book),
    parametersHtml('Query parameters', operation.parameters, 'query', book),
    body === undefined ? '' : `<h4>Request body</h4>\n${bodyHtml(body, true, book)}`,
    ...successes(operation).map(([status, response]) => successHtml(status, response, book)),
    failuresHtml(page, operation),
  ];
  const examples = [
    exampleHtml('Request', codeBlock(curlCommand(method, path, operation), 'bash')),
    ...successes(operation).map(([status, response]) => responseExample(status, response)),
  ];
  return sectionHtml(text, examples);
}

/** A request that an endpoint receives. */
export function eventHtml({ page, book }: Place, name: string, operation: OperationText): string {
  const body = firstContent(operation.requestBody.content);
  const text = [
    headingHtml(3, operation.operationId, `<code>${escapeHtml(name)}</code>`, name),
    `<p><strong>${sentences(operation.summary)}.</strong></p>`,
    descriptionHtml(page, operation.description),
    body?.schema === undefined ? '' : `<h4>Body</h4>\n${bodyHtml(body.schema, false, book)}`,
  ];
  return sectionHtml(text, [exampleHtml('Body', jsonBlock(body?.example))]);
}

/** What every event has: its headers, and what the sender makes of a response. */
export function eventFrameHtml({ book }: Place, operation: OperationText): string {
  const rows = Object.entries(operation.responses).map(([status, { description }]) => [
    `<code>${escapeHtml(status)}</code>`,
    sentences(description),
  ]);
  const text = [
    headingHtml(3, 'every-event', 'Every event', 'Every event'),
    parametersHtml('Headers', operation.parameters, 'header', book),
    `<h4>Your response</h4>\n${tableHtml(['Status', 'Meaning'], rows)}`,
  ];
  const headers = operation.parameters
    .filter(({ in: place, example: value }) => place === 'header' && typeof value === 'string')
    .map(({ name, example: value }) => `${name}: ${value}`);
  return sectionHtml(text, [exampleHtml('Headers', codeBlock(headers.join('\n'), 'http'))]);
}

/** Without the list of failures, which a table with links shows. */
export function descriptionHtml(page: string, description = ''): string {
  return renderFragment(description.replace(/\n\nFailures of this operation:[\s\S]*$/, ''), page);
}

function parametersHtml(
  title: string,
  all: readonly ParameterText[],
  place: ParameterText['in'],
  book: SchemaBook,
): string {
  const members = all
    .filter((parameter) => parameter.in === place)
    .map(({ name, description, schema, required }) => ({
      name,
      description,
      schema,
      need: required ? (place === 'header' ? undefined : ('required' as const)) : ('optional' as const),
    }));
  return members.length === 0 ? '' : `<h4>${title}</h4>\n${membersHtml(members, book)}`;
}

function successes({ responses }: OperationText): readonly (readonly [string, ResponseText])[] {
  return Object.entries(responses).filter(([status]) => status.startsWith('2'));
}

function successHtml(status: string, response: ResponseText, book: SchemaBook): string {
  const schema = firstContent(response.content)?.schema;
  return (
    `<h4>Response <span class="status">${escapeHtml(status)}</span></h4>\n` +
    `<p>${sentences(response.description)}</p>\n${schema === undefined ? '' : bodyHtml(schema, false, book)}`
  );
}

function failuresHtml(page: string, { responses }: OperationText): string {
  const rows = codesOf(responses).map((code) => [
    String(problemCodes[code].status),
    problemLink(page, code) ?? '',
    escapeHtml(problemCodes[code].title),
  ]);
  if (rows.length === 0) return '';
  const table = tableHtml(['Status', 'Code', 'Title'], rows);
  return `<details class="failures"><summary>Errors (${rows.length})</summary>\n${table}</details>`;
}

function codesOf(responses: OperationText['responses']): readonly ProblemCode[] {
  const named = Object.values(responses).flatMap((response) =>
    Object.keys(response.content['application/problem+json']?.examples ?? {}),
  );
  return [...new Set(named.filter(isProblemCode))];
}

function responseExample(status: string, response: ResponseText): string {
  const example = firstContent(response.content)?.example;
  return example === undefined ? '' : exampleHtml(`Response ${status}`, jsonBlock(example));
}

function firstContent(content: Readonly<Record<string, MediaType>>): MediaType | undefined {
  return Object.values(content)[0];
}

const address = 'https://api.example.com';

/** The request of an operation as a command. Path parameters have their examples. */
export function curlCommand(method: string, path: string, operation: OperationText): string {
  const isPublic = operation.security?.length === 0;
  const example = firstContent(operation.requestBody.content)?.example;
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${address}${filled(path, operation.parameters)}`,
    ...(isPublic ? [] : ['-H "Authorization: Bearer $API_KEY"']),
    ...(example === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${argument(example)}'`]),
  ];
  return lines.join(' \\\n  ');
}

/** JSON in single quotes of a shell. */
function argument(value: unknown): string {
  const text = JSON.stringify(value, null, 2) ?? '';
  return text.replaceAll("'", "'\\''").replaceAll('\n', '\n  ');
}

function filled(path: string, parameters: readonly ParameterText[]): string {
  return path.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const example = parameters.find((each) => each.in === 'path' && each.name === name)?.example;
    return typeof example === 'string' ? example : placeholder;
  });
}
