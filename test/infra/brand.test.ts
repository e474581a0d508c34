import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { synthesize } from '../../lib/build/synthesize.ts';
import { parseConfig } from '../../lib/settings/config.ts';
import { brandImages, brandSettings } from '../support/browser/brand.ts';
import { temporaryFolder } from '../support/vitest/temporary-folder.ts';
import { publishedIn } from './published.ts';

type Given = Readonly<Record<string, string>>;

/** Synthesizes a stage with these settings in its file, and these images beside it. */
async function synthesized(settings: Given, images: Given = brandImages): Promise<string> {
  const [stages, outDir] = [await temporaryFolder(), await temporaryFolder()];
  const files = { ...images, 'pr-brand.json': JSON.stringify(settings) };
  for (const [name, content] of Object.entries(files)) await writeFile(join(stages, name), content);
  await synthesize({ context: { stage: 'pr-brand' }, stageFiles: stages, outDir });
  return outDir;
}

describe('the brand of a stage', () => {
  it('the console and the documentation of the templates have it, and load nothing from another host', async () => {
    const files = await publishedIn(await synthesized(brandSettings));
    const [page = '', guide = ''] = ['console.html', 'docs/first-event.html'].map((name) => files.get(name));
    const styles = [...files].filter(([name]) => name.endsWith('.css'));

    expect(page).toContain('<title>Acme &amp; Co &quot;Hooks&quot;</title>');
    expect(page).toContain('data-support="https://help.example.com/hooks"');
    expect(guide).toContain('· Acme &amp; Co &quot;Hooks&quot;</title>');
    expect(guide).toContain('<a href="https://help.example.com/hooks">Support</a>');
    expect(guide).toContain('"https://git.example.com/hooks/edit/main/docs/pages/first-event.md">Edit this page<');
    expect(guide).toContain('"mailto:docs@example.com?subject=Documentation%3A%20Your%20first%20event">Give feedback<');
    expect(files.get('docs/reference.html')).not.toContain('Edit this page');
    expect(styles.map(([, style]) => style.includes(':root{--link:#0f766e;'))).toEqual([true, true]);
    for (const html of [page, guide]) {
      const loaded = [...html.matchAll(/(?:src|srcset|data-logo|data-logo-dark|<link [^>]*href)="([^"]*)"/g)];
      expect(loaded.map(([, address]) => address).filter((address) => /^\w+:|^\/\//.test(address ?? ''))).toEqual([]);
    }
    const images = [...files].filter(([name]) => name.endsWith('.svg')).map(([, text]) => text);
    expect(new Set(images)).toEqual(new Set(Object.values(brandImages)));
  });

  it.each([
    [{ brandLogo: 'none.svg' }, {}, 'brandLogo is none.svg: the file does not exist in the folder stages'],
    [{ brandLogo: 'a.svg' }, { 'a.svg': 'PNG' }, 'it is no SVG'],
    [{ brandFavicon: 'a.svg' }, { 'a.svg': '<svg><script/></svg>' }, 'it contains a script'],
    [{ brandLogo: 'a.svg' }, { 'a.svg': '<svg><image href="https://a.b/c"/></svg>' }, 'from another host'],
    [{ brandLogo: 'a.svg' }, { 'a.svg': `<svg>${' '.repeat(100_000)}</svg>` }, 'more than 100000 bytes'],
  ])('refuses the images of %j before anything is written', async (settings, images, message) => {
    await expect(synthesized(settings, images)).rejects.toThrow(message);
  });

  it.each([
    [{ brandAccent: '#f5c518' }, /brandAccent is #f5c518: .* has a contrast of 1\.\d+:1, .* such as #[0-9a-f]{6}$/],
    [{ brandAccent: '#0f766e', brandAccentDark: '#0f766e' }, /brandAccentDark is #0f766e: .* a lighter colour/],
    [{ brandAccentDark: '#99f6e4' }, /brandAccentDark is set without brandAccent/],
    [{ brandLogoDark: 'a.svg' }, /brandLogoDark is set without brandLogo/],
    [{ brandAccent: 'teal' }, /brandAccent is "teal", expected a colour such as #4338ca/],
    [{ brandLogo: '../a.svg' }, /brandLogo is "..\/a.svg", expected the name of an SVG file/],
    [{ supportLink: 'javascript:alert(1)' }, /supportLink is .* expected an https address or a mailto link/],
    [{ docsEditUrl: 'https://a.b/c/' }, /docsEditUrl is .* expected an https address .* trailing slash/],
    [{ docsFeedbackUrl: 'http://a.b' }, /docsFeedbackUrl is .* expected an https address or a mailto link/],
    [{ brandName: ' ' }, /brandName is " ", expected a text of 1 to 40 characters/],
  ])('refuses %j, and says what is expected', (settings: Given, message) => {
    expect(() => parseConfig((key) => settings[key])).toThrow(message);
  });
});
