const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for element content and for attribute values in double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

const characters = new Map([...Object.entries(entities), ["'", '&#x27;']].map(([text, entity]) => [entity, text]));

/** The text of HTML that this generator wrote, in one line. Links of headings to themselves are left out. */
export function plainText(html: string): string {
  return html
    .replaceAll(/<a class="anchor".*?<\/a>/g, '')
    .replaceAll(/<\/?(a|code|em|span|strong)\b[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&#?\w+;/g, (entity) => characters.get(entity) ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Escapes sentences that mark code with backticks and emphasis with two asterisks, and renders both. */
export function sentences(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
}

/** A heading that links to itself. */
export function headingHtml(level: number, id: string, content: string, name: string): string {
  return `<h${level} id="${escapeHtml(id)}">${content}${selfLink(id, name)}</h${level}>\n`;
}

/** The link of a heading to itself. */
export function selfLink(id: string, name: string): string {
  const label = escapeHtml(`Link to “${name}”`);
  return ` <a class="anchor" href="#${escapeHtml(id)}" aria-label="${label}">#</a>`;
}

/** A table that scrolls inside itself on a narrow screen. */
export function tableHtml(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: string, row: readonly string[]) =>
    `<tr>${row.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return (
    `${tableOpen}<table><thead>${cells('th', head)}</thead>` +
    `<tbody>${rows.map((row) => cells('td', row)).join('\n')}</tbody></table>${tableClose}`
  );
}

/** Focusable, so that the keyboard can scroll it. */
export const tableOpen = '<div class="table" tabindex="0" role="group" aria-label="Table">';
export const tableClose = '</div>';

/** Text beside its examples. */
export function sectionHtml(text: readonly string[], examples: readonly string[]): string {
  const described = `<div class="text">\n${text.join('\n')}</div>\n`;
  if (examples.length === 0) return `<section class="operation alone">\n${described}</section>`;
  return (
    `<section class="operation">\n${described}` + `<div class="examples">\n${examples.join('\n')}</div>\n</section>`
  );
}

export function exampleHtml(title: string, code: string): string {
  return `<div class="example"><p>${escapeHtml(title)}</p>\n${code}</div>`;
}
