/** A page of the navigation. */
export type ListedPage = {
  /** Address below the site, without an ending. */
  readonly path: string;
  /** Title in the navigation; a page shows its own heading. */
  readonly title: string;
  /** The file that it renders, from the root of the repository. */
  readonly source: string;
};

type PageGroup = { readonly title: string; readonly pages: readonly ListedPage[] };

const fromPages = (name: string, title: string): ListedPage => ({
  path: `docs/${name}`,
  title,
  source: `docs/pages/${name}.md`,
});

/** Every page but those of the problem codes, in reading order. */
export const pageGroups: readonly PageGroup[] = [
  {
    title: 'Get started',
    pages: [
      fromPages('index', 'Overview'),
      fromPages('first-event', 'Your first event'),
      fromPages('receive-and-verify', 'Receive and verify'),
      fromPages('local-development', 'Local development'),
      fromPages('going-live', 'Go live'),
    ],
  },
  {
    title: 'Guides',
    pages: [
      fromPages('events', 'Events'),
      fromPages('retries-and-replay', 'Retries and replay'),
      fromPages('paging-and-limits', 'Paging and limits'),
      fromPages('console', 'Console'),
      fromPages('troubleshooting', 'Troubleshooting'),
      fromPages('clients', 'API clients'),
    ],
  },
  {
    title: 'Reference',
    pages: [
      { path: 'docs/reference', title: 'API reference', source: 'docs/openapi.json' },
      fromPages('errors', 'Errors'),
      { path: 'docs/glossary', title: 'Glossary', source: 'docs/glossary.md' },
      { path: 'docs/changelog', title: 'Changelog', source: 'CHANGELOG.md' },
    ],
  },
  {
    title: 'About the service',
    pages: [
      fromPages('security', 'Security'),
      fromPages('reliability', 'Reliability'),
      fromPages('what-we-do-not-do', 'What we do not do'),
    ],
  },
];

export const listedPages: readonly ListedPage[] = pageGroups.flatMap(({ pages }) => pages);

export const errorsPath = 'docs/errors';

/** Address of the page of a problem code. */
export function errorPath(code: string): string {
  return `${errorsPath}/${code}`;
}
