import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf, sha256 } from './digest.ts';

/** Settings of a stage, as on the command line. */
export type Context = Readonly<Record<string, string>>;

export type CachedSynthesis = {
  /** Folder of the repository. */
  readonly root: string;
  /** Files and folders below the root that the assembly depends on. */
  readonly inputs: readonly string[];
  readonly context: Context;
  /** Output folder; must be empty. */
  readonly outDir: string;
  /** Writes an assembly with these settings to a folder. */
  readonly synthesize: (context: Context, outDir: string) => Promise<void>;
};

/** An assembly of other inputs is removed once no start can still be reading it. */
const unusedForMs = 60_000;

/** The digest of a kept assembly; a changed or missing file makes it unusable. */
const digestFile = '.digest';

/** Local addresses have a port that differs in each run. */
const localAddress = /^http:\/\/127\.0\.0\.1:/;

/** Placeholders have the form of local addresses, with ports from 1 to 9, which no part of the stack listens on. */
const placeholders = /http:\/\/127\.0\.0\.1:([1-9])(?!\d)/g;

/**
 * Writes a cloud assembly. Synthesizes only if an input or a setting has changed since an earlier synthesis: every
 * assembly is synthesized with placeholders for local addresses, kept in `dist/assemblies`, and copied with the
 * addresses.
 *
 * @returns whether the assembly was synthesized
 */
export async function writeAssembly(request: CachedSynthesis): Promise<'synthesized' | 'unchanged'> {
  const { root, outDir, synthesize } = request;
  const settings = Object.entries(request.context);
  const addresses = settings.map(([, value]) => value).filter((value) => localAddress.test(value));
  const context = Object.fromEntries(
    settings.map(([name, value]) => [
      name,
      localAddress.test(value) ? `http://127.0.0.1:${addresses.indexOf(value) + 1}` : value,
    ]),
  );
  const inputs = digestOf(root, request.inputs);
  const cacheDir = join(root, 'dist', 'assemblies');
  const cached = join(cacheDir, sha256(JSON.stringify([process.version, context, inputs])));
  if (await isIntact(cached)) {
    await copyWithAddresses(cached, outDir, addresses);
    return 'unchanged';
  }
  await mkdir(cacheDir, { recursive: true });
  const draft = await mkdtemp(join(cacheDir, '.draft-'));
  try {
    await synthesize(context, draft);
    await writeFile(join(draft, digestFile), digestOf(draft, ['.']));
    await copyWithAddresses(draft, outDir, addresses);
    // A file that changed meanwhile may be in the assembly or not.
    if (digestOf(root, request.inputs) === inputs) await keep(draft, cached, cacheDir);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return 'synthesized';
}

async function isIntact(cached: string): Promise<boolean> {
  const recorded = await readFile(join(cached, digestFile), 'utf8').catch(() => undefined);
  return recorded !== undefined && recorded === digestOf(cached, ['.']);
}

/** Copies the files, because a later start may remove the cached ones while functions still load from theirs. */
async function copyWithAddresses(folder: string, outDir: string, addresses: readonly string[]): Promise<void> {
  await cp(folder, outDir, { recursive: true });
  const names = (await readdir(outDir)).filter((name) => name.endsWith('.json'));
  for (const path of names.map((name) => join(outDir, name))) {
    const text = await readFile(path, 'utf8');
    await writeFile(
      path,
      text.replace(placeholders, (placeholder, port) => addresses[port - 1] ?? placeholder),
    );
  }
}

async function keep(draft: string, cached: string, cacheDir: string): Promise<void> {
  await rm(cached, { recursive: true, force: true });
  // Another start may have stored the same assembly first.
  await rename(draft, cached).catch(() => undefined);
  for (const folder of (await readdir(cacheDir)).map((name) => join(cacheDir, name))) {
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Date.now() }));
    const isUnused = folder !== cached && Date.now() - mtimeMs > unusedForMs;
    if (isUnused) await rm(folder, { recursive: true, force: true });
  }
}
