import { createHash, randomBytes } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { hashFile } from './bundle-record.ts';

/** Addresses that differ in each run, by the setting that they are for. */
export type Addresses = Readonly<Record<string, string>>;

export type CachedSynthesis = {
  /** Folder of the repository. */
  readonly root: string;
  /** Folder of the cached assemblies. */
  readonly cacheDir: string;
  /** Files and folders below the root that the assembly depends on. A file that is added to a folder counts too. */
  readonly inputs: readonly string[];
  /** Settings besides the addresses. */
  readonly settings: Readonly<Record<string, string>>;
  readonly addresses: Addresses;
  /** Output folder; must be empty. */
  readonly outDir: string;
  /** Writes an assembly with these settings to a folder. */
  readonly synthesize: (settings: Readonly<Record<string, string>>, outDir: string) => Promise<void>;
};

/** Hashes of the files of an assembly; a changed or missing file makes it unusable. */
const contentsFile = 'contents.json';

/** An assembly of other inputs is removed once no start can still be reading it. */
const unusedForMs = 60_000;

/** Placeholders have the form of the addresses, with ports from 1 to 9, which no part of the stack listens on. */
const firstPlaceholderPort = 1;
const placeholderPattern = /http:\/\/127\.0\.0\.1:([1-9])(?!\d)/g;

/**
 * Writes a cloud assembly. Synthesizes only if an input or a setting has changed since an earlier synthesis: every
 * assembly is synthesized with placeholders for the addresses, kept, and then written with the addresses.
 *
 * @returns whether the assembly was synthesized
 */
export async function writeAssembly(request: CachedSynthesis): Promise<'synthesized' | 'unchanged'> {
  const key = await keyOf(request);
  const cached = join(request.cacheDir, key);
  if (await isIntact(cached)) {
    await writeWithAddresses(cached, request);
    return 'unchanged';
  }
  const draft = join(request.cacheDir, `.${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    await mkdir(draft, { recursive: true });
    await request.synthesize({ ...request.settings, ...placeholders(request.addresses) }, draft);
    await writeFile(join(draft, contentsFile), JSON.stringify(await hashesBelow(draft)));
    await writeWithAddresses(draft, request);
    // A file that changed meanwhile may be in the assembly or not.
    if ((await keyOf(request)) === key) await keep(draft, cached);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return 'synthesized';
}

async function keyOf({ root, inputs, settings, addresses }: CachedSynthesis): Promise<string> {
  const files = (await Promise.all(inputs.map((input) => filesOf(join(root, input))))).flat().sort();
  const hashes = await Promise.all(files.map(async (file) => [relative(root, file), await hashFile(file)]));
  const all = { node: process.version, settings, addresses: Object.keys(addresses), hashes };
  return createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 32);
}

/** A file is its only member; a missing one is kept, so that its creation is noticed. */
async function filesOf(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}

async function hashesBelow(folder: string): Promise<Readonly<Record<string, string>>> {
  const files = (await filesOf(folder)).filter((file) => relative(folder, file) !== contentsFile);
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [relative(folder, file), await hashFile(file)])),
  );
}

async function isIntact(folder: string): Promise<boolean> {
  const recorded = await readFile(join(folder, contentsFile), 'utf8').catch(() => undefined);
  if (recorded === undefined) return false;
  const found = await hashesBelow(folder);
  const inOrder = (hashes: object) => JSON.stringify(Object.entries(hashes).sort());
  return inOrder(JSON.parse(recorded)) === inOrder(found);
}

function placeholders(addresses: Addresses): Addresses {
  return Object.fromEntries(
    Object.keys(addresses).map((setting, index) => [
      setting,
      `http://127.0.0.1:${firstPlaceholderPort + index}`,
    ]),
  );
}

/** Copies the files, because a later start may remove the cached ones while functions still load from theirs. */
async function writeWithAddresses(folder: string, { outDir, addresses }: CachedSynthesis): Promise<void> {
  await cp(folder, outDir, { recursive: true, filter: (path) => basename(path) !== contentsFile });
  const values = Object.values(addresses);
  const texts = (await readdir(outDir)).filter((name) => name.endsWith('.json'));
  await Promise.all(
    texts.map(async (name) => {
      const text = await readFile(join(outDir, name), 'utf8');
      const replaced = text.replace(
        placeholderPattern,
        (placeholder, port) => values[Number(port) - firstPlaceholderPort] ?? placeholder,
      );
      if (replaced !== text) await writeFile(join(outDir, name), replaced);
    }),
  );
}

async function keep(draft: string, cached: string): Promise<void> {
  await rm(cached, { recursive: true, force: true });
  // Another start may have stored the same assembly first.
  await rename(draft, cached).catch(() => undefined);
  const cacheDir = dirname(cached);
  for (const name of await readdir(cacheDir)) {
    const folder = join(cacheDir, name);
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Date.now() }));
    if (folder !== cached && Date.now() - mtimeMs > unusedForMs) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
