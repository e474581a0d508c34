import { execFile } from 'node:child_process';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../../lib/build/bundle.ts';

const run = promisify(execFile);

/**
 * Installs the embedded example in an empty folder, with the packed construct and its peers and nothing else.
 *
 * @returns the file of the package
 */
export async function installEmbeddedApp(cwd: string): Promise<string> {
  const [modules, packed] = [join(repositoryRoot, 'node_modules'), join(repositoryRoot, 'dist', 'construct')];
  await run(process.execPath, [join(repositoryRoot, 'bin', 'build-construct.ts')], { cwd: repositoryRoot });
  await cp(join(repositoryRoot, 'examples', 'embedded'), cwd, { recursive: true });
  await writeFile(join(cwd, 'package.json'), '{ "type": "module" }');
  const { stdout } = await run('npm', ['pack', '--silent', packed], { cwd });
  const tarball = join(cwd, stdout.trim());
  // The peers are linked below: nothing is fetched.
  const install = ['install', '--offline', '--silent', '--legacy-peer-deps', '--cache', join(cwd, 'cache')];
  await run('npm', [...install, tarball], { cwd });
  for (const peer of ['aws-cdk-lib', 'constructs']) await symlink(join(modules, peer), join(cwd, 'node_modules', peer));
  return tarball;
}
