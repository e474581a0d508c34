import type { PageRequest, Rows } from '#shared/operations/paging.ts';

/** Reads a list to its end. @param between runs after each page */
export async function walkPages<T>(
  read: (page: PageRequest) => Promise<Rows<T>>,
  limit: number,
  between: () => Promise<void> = async () => {},
): Promise<readonly (readonly T[])[]> {
  const pages: (readonly T[])[] = [];
  let after: string | null = null;
  do {
    const page: Rows<T> = await read({ after, limit });
    pages.push(page.rows);
    after = page.next;
    await between();
  } while (after !== null);
  return pages;
}
