import { createPrivateKey, KeyObject, webcrypto, X509Certificate } from 'node:crypto';
import { link, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readKept, replaceFile, writeBeside } from '../../stack/kept-file.ts';

const dayMs = 24 * 60 * 60 * 1000;
const lifetimeMs = 365 * dayMs;
const signing = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const hostNames = ['receiver.localhost', 'localhost'] as const;
const addresses = ['127.0.0.1', '::1'] as const;

const pairSchema = z.object({ cert: z.string(), key: z.string() });
type Pair = z.infer<typeof pairSchema>;

export type LocalCertificate = {
  /** Path of the certificate (PEM), for `NODE_EXTRA_CA_CERTS` and `curl --cacert`. */
  readonly caFile: string;
  /** Paths of the certificate and its private key (PEM), for servers that the stack must trust. */
  readonly certFile: string;
  readonly keyFile: string;
  /** The self-signed certificate and its private key (PKCS #8), PEM. */
  readonly cert: string;
  readonly key: string;
};

/**
 * Opens the certificate of the stack's own https servers, valid for `receiver.localhost`, `localhost`, 127.0.0.1 and
 * ::1, and writes it to `<dir>/ca.pem`. It is not a certificate authority: a client that trusts it trusts no other
 * certificate. So that other servers can use it too, it is also written to `<dir>/localhost.pem`, with its key in
 * `<dir>/localhost-key.pem`.
 *
 * Reuses the certificate in `dir` while it names all of these and has at least a day of validity left.
 *
 * @param now start of the validity, and the time at which an existing certificate is checked
 */
export async function openCertificate(dir: string, now: Date): Promise<LocalCertificate> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const file = join(dir, 'certificate.json');
  const pair = (await readUsable(file, now)) ?? (await storePair(file, now));
  const files = {
    caFile: join(dir, 'ca.pem'),
    certFile: join(dir, 'localhost.pem'),
    keyFile: join(dir, 'localhost-key.pem'),
  };
  await replaceFile(files.caFile, pair.cert, 0o644);
  await replaceFile(files.certFile, pair.cert, 0o644);
  await replaceFile(files.keyFile, pair.key);
  return { ...files, ...pair };
}

/** `undefined` when the file is missing, truncated or from another version: a new certificate fixes all of these. */
async function readUsable(file: string, now: Date): Promise<Pair | undefined> {
  try {
    const pair = await readKept(file, pairSchema);
    return pair !== undefined && isUsable(pair, now) ? pair : undefined;
  } catch {
    return undefined;
  }
}

function isUsable({ cert, key }: Pair, now: Date): boolean {
  const parsed = new X509Certificate(cert);
  const isValid = parsed.validFromDate <= now && parsed.validToDate.getTime() - now.getTime() >= dayMs;
  const namesAll = addresses.every((address) => parsed.checkIP(address) !== undefined);
  return isValid && namesAll && parsed.checkPrivateKey(createPrivateKey(key));
}

/** Two stacks that start at the same time must use the same certificate: the first to link its file wins. */
async function storePair(file: string, now: Date): Promise<Pair> {
  const made = await createPair(now);
  const temporary = await writeBeside(file, JSON.stringify(made));
  try {
    await link(temporary, file);
    return made;
  } catch {
    const other = await readUsable(file, now);
    if (other === undefined) await rename(temporary, file);
    return other ?? made;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function createPair(now: Date): Promise<Pair> {
  const x509 = await loadX509();
  const keys = await webcrypto.subtle.generateKey(signing, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    notBefore: new Date(now.getTime() - dayMs),
    notAfter: new Date(now.getTime() + lifetimeMs),
    name: 'CN=Local webhook stack',
    keys,
    signingAlgorithm: signing,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...hostNames.map((value) => ({ type: 'dns' as const, value })),
        ...addresses.map((value) => ({ type: 'ip' as const, value })),
      ]),
    ],
  });
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
  return { cert: cert.toString('pem'), key: key.toString() };
}

/**
 * The library requires a metadata reflection API when it loads, but its classes carry no metadata. So a stub is enough,
 * without a polyfill package.
 */
export async function loadX509() {
  if (!('getMetadata' in Reflect)) {
    Object.assign(Reflect, { getMetadata: () => undefined, getOwnMetadata: () => undefined });
  }
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto);
  return x509;
}
