import { plainText } from '../html.ts';
import type { Draft } from '../layout.ts';

/** A part of a page, as the search finds and shows it. */
export type Section = {
  /** Address below the site, with the anchor of its heading. */
  readonly address: string;
  /** Title of the page. */
  readonly page: string;
  /** Empty for what is above the first heading. */
  readonly heading: string;
  readonly text: string;
};

/** What operations of the reference repeat: the failures, and examples of the members that the text describes. */
const repeated = /<details class="failures">[\s\S]*?<\/details>|<div class="examples">[\s\S]*?<\/section>/g;

/** The parts of a page, from one listed heading to the next. A page without a list of headings is one part. */
export function sectionsOf({ path, title: page, lead, html, headings }: Draft): readonly Section[] {
  const listed = new Map(headings.map(({ id, text }) => [id, text]));
  const sections: Section[] = [{ address: path, page, heading: '', text: plainText(lead) }];
  for (const part of html.replaceAll(repeated, '').split(/(?=<h\d id=")/)) {
    const [, id = '', own = ''] = /^<h\d id="([^"]*)">[\s\S]*?<\/h\d>([\s\S]*)$/.exec(part) ?? [];
    const heading = listed.get(id);
    const last = sections.at(-1);
    if (heading !== undefined) sections.push({ address: `${path}#${id}`, page, heading, text: plainText(own) });
    else if (last !== undefined) sections.splice(-1, 1, { ...last, text: `${last.text} ${plainText(part)}`.trim() });
  }
  return sections;
}
