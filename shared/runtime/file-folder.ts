import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

/** A text file, ready to send. */
export type ServedFile = {
  readonly type: string;
  /** SHA-256 of the content in Base64 for URLs, shortened. */
  readonly digest: string;
  readonly text: string;
  /** The content compressed with gzip, in Base64. */
  readonly gzip: string;
};

export type FileFolder = {
  /** Whether a file has this address. */
  readonly has: (address: string) => Promise<boolean>;
  /** @returns `undefined` for an address without a file */
  readonly read: (address: string) => Promise<ServedFile | undefined>;
};

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  md: 'text/markdown; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

/**
 * The text files below a folder. The address of a file is its path below the folder; a page has no `.html` in its
 * address. Only files that the folder lists are opened, so no address leads out of it. Each is read and
 * compressed once.
 */
export function openFileFolder(folder: URL): FileFolder {
  let listed: Promise<ReadonlyMap<string, string>> | undefined;
  const names = () => {
    listed ??= listFiles(folder);
    return listed;
  };
  const read = new Map<string, Promise<ServedFile>>();
  return {
    has: async (address) => (await names()).has(address),
    read: async (address) => {
      const name = (await names()).get(address);
      if (name === undefined) return undefined;
      const file = read.get(name) ?? readServed(folder, name);
      read.set(name, file);
      return await file;
    },
  };
}

/** Names below the folder, by address. */
async function listFiles(folder: URL): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => types[endingOf(name)] !== undefined);
  return new Map(files.map((name) => [name.replace(/\.html$/, ''), name]));
}

async function readServed(folder: URL, name: string): Promise<ServedFile> {
  const content = await readFile(new URL(name, folder));
  return {
    type: types[endingOf(name)] ?? 'text/plain',
    digest: createHash('sha256').update(content).digest('base64url').slice(0, 27),
    text: content.toString('utf8'),
    gzip: gzipSync(content).toString('base64'),
  };
}

function endingOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
