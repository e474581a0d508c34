import type { Token } from 'markdown-it';

const marker = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*/;

/** Turns quotations that start with `[!NOTE]` and the like, as code hosts show them, into callouts. */
export function markCallouts(tokens: readonly Token[]): void {
  tokens.forEach((token, index) => {
    const inline = tokens[index + 2];
    const found = token.type === 'blockquote_open' ? marker.exec(inline?.content ?? '') : null;
    const kind = found?.[1]?.toLowerCase();
    const [first, next] = inline?.children ?? [];
    if (inline === undefined || first === undefined || kind === undefined) return;
    token.attrSet('class', `callout ${kind === 'caution' ? 'warning' : kind}`);
    first.content = first.content.replace(marker, '');
    // The marker stands on a line of its own.
    if (first.content === '' && next?.type === 'softbreak') inline.children?.splice(0, 2);
  });
}
