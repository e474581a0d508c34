/** Makes the anchors of one page, as code hosts do: a repeated heading gets a number. */
export function createSlugger(): (heading: string) => string {
  const used = new Set<string>();
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
    for (let number = 0; ; number += 1) {
      const candidate = number === 0 ? slug : `${slug}-${number}`;
      if (used.has(candidate)) continue;
      used.add(candidate);
      return candidate;
    }
  };
}
