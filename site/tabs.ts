import type { Token } from 'markdown-it';
import { escapeHtml } from './html.ts';

/** The name of the choice, for people who do not see it, follows the colon. */
const start = /^<!-- tabs: (.+) -->\s*$/;
const end = /^<!-- \/tabs -->\s*$/;

/**
 * Makes a section of each heading of the second level between `<!-- tabs: Name -->` and `<!-- /tabs -->`. The script of
 * the page shows one section at a time; without it, all are shown.
 *
 * @throws Error when a group has no end or no section
 */
export function markTabs(tokens: readonly Token[]): void {
  let sections: number | undefined;
  tokens.forEach((token, index) => {
    const label = token.type === 'html_block' ? start.exec(token.content)?.[1] : undefined;
    if (label !== undefined) {
      sections = 0;
      replace(token, `<div class="tabs" data-label="${escapeHtml(label)}">\n`);
    } else if (sections !== undefined && token.type === 'heading_open' && token.tag === 'h2') {
      const title = escapeHtml(tokens[index + 1]?.content ?? '');
      token.meta = {
        before: `${sections === 0 ? '' : '</section>\n'}<section class="tab" data-title="${title}">\n`,
      };
      sections += 1;
    } else if (token.type === 'html_block' && end.test(token.content)) {
      if (sections === undefined || sections === 0) throw new Error('Cannot end tabs that have no section');
      replace(token, '</section>\n</div>\n');
      sections = undefined;
    }
  });
  if (sections !== undefined) throw new Error('Cannot find the end of the tabs: it is <!-- /tabs -->');
}

function replace(token: Token, html: string): void {
  token.type = 'html_made';
  token.content = html;
}
