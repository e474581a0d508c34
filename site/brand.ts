/** Colours of links, of marked parts and of pressed buttons: `#rrggbb`. */
export type Palette = { readonly accent: string; readonly soft: string; readonly strong: string };

/** What a stage shows in place of the look of this project. Images are the text of an SVG file. */
export type Brand = {
  readonly name?: string | undefined;
  readonly logo?: string | undefined;
  /** In place of `logo` where the reader prefers dark colours. */
  readonly logoDark?: string | undefined;
  readonly favicon?: string | undefined;
  readonly colors?: { readonly light: Palette; readonly dark: Palette } | undefined;
  /** Where readers get help: an https address or a mailto link. */
  readonly supportLink?: string | undefined;
  /** Where the files of the repository can be edited, without a trailing slash. Pages of the documentation link to theirs. */
  readonly editUrl?: string | undefined;
  /** Where readers say what they think of a page of the documentation: an https address or a mailto link. */
  readonly feedbackUrl?: string | undefined;
};

/** The rules that follow the stylesheet of the documentation or of the console; empty without colours. */
export function brandStyle({ colors }: Brand): string {
  if (colors === undefined) return '';
  const rule = ({ accent, soft, strong }: Palette) =>
    `:root{--link:${accent};--link-soft:${soft};--link-strong:${strong}}`;
  return `\n${rule(colors.light)}\n@media (prefers-color-scheme:dark){${rule(colors.dark)}}\n`;
}
