import { createHash } from 'node:crypto';
import type { BuildOptions } from 'esbuild';

/** How what browsers run is built. */
export const forBrowsers = {
  write: false,
  bundle: true,
  platform: 'browser',
  target: ['chrome120', 'firefox121', 'safari17.4'],
  minify: true,
  legalComments: 'none',
  logLevel: 'error',
} satisfies BuildOptions;

/** A file that pages load. Its name gets a digest of the content, so that browsers may keep the file for ever. */
export function namedFile(path: string, content: string) {
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return { name: path.replace(/(\.\w+)$/, `-${digest}$1`), content };
}
