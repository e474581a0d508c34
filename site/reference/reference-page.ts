import { referenceMarkdown } from '../as-markdown.ts';
import { escapeHtml, headingHtml, sectionHtml, sentences } from '../html.ts';
import type { Draft } from '../layout.ts';
import type { Heading } from '../markdown.ts';
import { relativeUrl } from '../page-list.ts';
import { type OpenApi, readOpenApi, type Schema, type SchemaBook, schemaBook } from './open-api.ts';
import { descriptionHtml, eventFrameHtml, eventHtml, operationHtml, type Place } from './operation-html.ts';
import { constraintsHtml, membersHtml, membersOf, schemaAnchor, typeHtml } from './schema-html.ts';

const page = 'docs/reference';

type Part = { readonly html: string; readonly headings: readonly Heading[] };

/**
 * Renders an OpenAPI document as one page.
 *
 * @throws ZodError when the document has another form than that of this service
 */
export function referencePage(given: unknown): Draft {
  const document = readOpenApi(given);
  const place = { page, book: schemaBook(document) };
  const parts = [...operationParts(document, place), eventsPart(document, place), schemasPart(place.book)];
  const raw = `<a href="${escapeHtml(relativeUrl(page, 'openapi.json'))}">OpenAPI document</a>`;
  const { summary: lead, description } = document.info;
  return {
    path: page,
    title: 'API reference',
    description: lead,
    lead: sentences(lead),
    html:
      descriptionHtml(page, description) +
      `<p>This page is made from the ${raw}, which client generators read.</p>\n` +
      parts.map(({ html }) => html).join('\n'),
    headings: parts.flatMap(({ headings }) => headings),
    width: 'wide',
    markdown: referenceMarkdown(document),
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

function operationParts({ paths, tags }: OpenApi, place: Place): readonly Part[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  return tags.flatMap(({ name, description }) => {
    const tagged = all.filter(({ operation }) => operation.tags[0] === name);
    if (tagged.length === 0) return [];
    const entries = tagged.map(({ method, path, operation }) =>
      entry(operation.operationId, operation.summary, operationHtml(place, method, path, operation)),
    );
    const intro = descriptionHtml(page, description);
    return [part(name, `tag-${name.toLowerCase().replaceAll(/\W+/g, '-')}`, intro, entries)];
  });
}

function eventsPart({ webhooks, tags }: OpenApi, place: Place): Part {
  const events = Object.entries(webhooks).flatMap(([name, item]) =>
    Object.values(item).map((operation) => ({ name, operation })),
  );
  // The headers and the meaning of a response are the same for every event.
  const frame = events
    .slice(0, 1)
    .map(({ operation }) => entry('every-event', 'Every event', eventFrameHtml(place, operation)));
  const entries = events.map(({ name, operation }) =>
    entry(operation.operationId, name, eventHtml(place, name, operation)),
  );
  const { description } = tags.find(({ name }) => name === 'Events') ?? {};
  return part('Events', 'events', descriptionHtml(page, description), [...frame, ...entries]);
}

/** The schemas that several places use. */
function schemasPart(book: SchemaBook): Part {
  const entries = Object.entries(book.named)
    .filter(([name]) => !book.inline.has(name))
    .map(([name, schema]) => entry(schemaAnchor(name), name, schemaHtml(name, schema, book)));
  return part('Schemas', 'schemas', '', entries);
}

function schemaHtml(name: string, schema: Schema, book: SchemaBook): string {
  const members = membersOf(schema, false);
  const type = members.length === 0 ? `<p class="body-type">${typeHtml(schema)}</p>\n` : '';
  const text =
    headingHtml(3, schemaAnchor(name), `<code>${escapeHtml(name)}</code>`, name) +
    `${descriptionHtml(page, schema.description)}${type}${constraintsHtml(schema)}${membersHtml(members, book)}`;
  return sectionHtml([text], []);
}
