import { escapeHtml, headingHtml, sentences } from '../html.ts';
import type { Draft } from '../layout.ts';
import { relativeUrl } from '../links.ts';
import type { Heading } from '../markdown.ts';
import { type OpenApi, type OperationText, readOpenApi, type Schema } from './open-api.ts';
import { descriptionHtml, eventHtml, operationHtml } from './operation-html.ts';
import { schemaExample } from './schema-example.ts';
import { membersHtml, membersOf, schemaAnchor, typeHtml } from './schema-html.ts';

const page = 'docs/reference';

type Part = { readonly html: string; readonly headings: readonly Heading[] };

/**
 * Renders an OpenAPI document as one page.
 *
 * @throws ZodError when the document has another form than that of this service
 */
export function referencePage(given: unknown): Draft {
  const document = readOpenApi(given);
  const parts = [...operationParts(document), eventsPart(document), schemasPart(document)];
  const raw = `<a href="${escapeHtml(relativeUrl(page, 'openapi.json'))}">OpenAPI document</a>`;
  const lead = document.info.summary ?? 'Every request of the API.';
  return {
    path: page,
    title: 'API reference',
    description: lead,
    html:
      `<p class="lead">${sentences(lead)}</p>\n${descriptionHtml(document.info.description)}` +
      `<p>This page is made from the ${raw}, which client generators read.</p>\n` +
      parts.map(({ html }) => html).join('\n'),
    headings: parts.flatMap(({ headings }) => headings),
    width: 'wide',
  };
}

function part(title: string, id: string, intro: string, entries: readonly Part[]): Part {
  return {
    html: `${headingHtml(2, id, escapeHtml(title), title)}${intro}${entries.map(({ html }) => html).join('\n')}`,
    headings: [{ level: 2, id, text: title }, ...entries.flatMap(({ headings }) => headings)],
  };
}

function entry(id: string, text: string, html: string): Part {
  return { html, headings: [{ level: 3, id, text }] };
}

type Found = { readonly method: string; readonly path: string; readonly operation: OperationText };

function operationParts({ paths, tags }: OpenApi): readonly Part[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, operation]): Found => ({
        method: method.toUpperCase(),
        path,
        operation,
      }),
    ),
  );
  return tags.flatMap(({ name, description }) => {
    const tagged = all.filter(({ operation }) => operation.tags[0] === name);
    if (tagged.length === 0) return [];
    const entries = tagged.map(({ method, path, operation }) =>
      entry(operation.operationId, operation.summary, operationHtml(page, method, path, operation)),
    );
    // A description that only repeats the name says nothing.
    const intro = description === name ? '' : descriptionHtml(description);
    return [part(name, `tag-${name.toLowerCase().replaceAll(/\W+/g, '-')}`, intro, entries)];
  });
}

function eventsPart({ webhooks }: OpenApi): Part {
  const entries = Object.entries(webhooks).flatMap(([name, item]) =>
    Object.values(item).map((operation) => entry(operation.operationId, name, eventHtml(name, operation))),
  );
  const intro = '<p>The service sends each event as a POST to your endpoints.</p>\n';
  return part('Events', 'events', intro, entries);
}

function schemasPart({ components }: OpenApi): Part {
  const entries = Object.entries(components.schemas).map(([name, schema]) =>
    entry(schemaAnchor(name), name, schemaHtml(name, schema)),
  );
  return part('Schemas', 'schemas', '', entries);
}

function schemaHtml(name: string, schema: Schema): string {
  const members = membersOf(schema, false);
  const type = members.length === 0 ? `<p class="type">${typeHtml(schema)}</p>\n` : membersHtml(members);
  return (
    `<section class="operation">\n<div class="text">\n` +
    `${headingHtml(3, schemaAnchor(name), `<code>${escapeHtml(name)}</code>`, name)}` +
    `${descriptionHtml(schema.description)}${type}</div>\n` +
    `<div class="examples">${schemaExample(schema)}</div>\n</section>`
  );
}
