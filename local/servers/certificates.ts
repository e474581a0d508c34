import { createPrivateKey, X509Certificate as NodeCertificate, randomBytes, webcrypto } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const dayMs = 24 * 60 * 60 * 1000;
const lifetimeMs = 365 * dayMs;
const signing = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const hostNames = ['receiver.localhost', '*.localhost', 'localhost'] as const;

const bundleSchema = z.object({ ca: z.string(), cert: z.string(), key: z.string() });
type Bundle = z.infer<typeof bundleSchema>;

export type LocalAuthority = {
  /** Path of the CA certificate (PEM), for `NODE_EXTRA_CA_CERTS` and `curl --cacert`. */
  readonly caFile: string;
  /** The CA certificate, PEM. */
  readonly ca: string;
  /** The server's private key (PKCS #8) and certificate, PEM. */
  readonly key: string;
  readonly cert: string;
};

/**
 * Gives the certificate of the stack's own https servers, valid for `receiver.localhost`, `*.localhost`,
 * `localhost` and 127.0.0.1, and writes the authority that signed it to `<dir>/ca.pem`.
 *
 * Reused from `dir` while at least a day of validity is left. The authority's own key is never stored: whoever
 * trusts `ca.pem` trusts this one certificate and nothing that could be signed later.
 *
 * @param now Start of the validity, and the time at which an existing certificate is judged.
 */
export async function createLocalAuthority(dir: string, now: Date): Promise<LocalAuthority> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const bundleFile = join(dir, 'authority.json');
  const bundle = (await readBundle(bundleFile, now)) ?? (await storeBundle(bundleFile, now));
  const caFile = join(dir, 'ca.pem');
  await replaceFile(caFile, bundle.ca, 0o644);
  return { caFile, ...bundle };
}

async function readBundle(file: string, now: Date): Promise<Bundle | null> {
  try {
    const bundle = bundleSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    return isUsable(bundle, now) ? bundle : null;
  } catch {
    // Absent, torn or written by another version: all are cured by making a new one.
    return null;
  }
}

function isUsable(bundle: Bundle, now: Date): boolean {
  const ca = new NodeCertificate(bundle.ca);
  const cert = new NodeCertificate(bundle.cert);
  const coversNow = [ca, cert].every(
    (each) => each.validFromDate <= now && each.validToDate.getTime() - now.getTime() >= dayMs,
  );
  return coversNow && cert.verify(ca.publicKey) && cert.checkPrivateKey(createPrivateKey(bundle.key));
}

/** Two stacks that start at once must end with the same authority: the first to link its file wins. */
async function storeBundle(file: string, now: Date): Promise<Bundle> {
  const bundle = await createBundle(now);
  const temporary = temporaryName(file);
  await writeFile(temporary, JSON.stringify(bundle), { mode: 0o600 });
  try {
    await link(temporary, file);
    await rm(temporary);
    return bundle;
  } catch {
    const other = await readBundle(file, now);
    if (other === null) {
      await rename(temporary, file);
      return bundle;
    }
    await rm(temporary);
    return other;
  }
}

async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  const temporary = temporaryName(file);
  await writeFile(temporary, text, { mode });
  await rename(temporary, file);
}

function temporaryName(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}`;
}

async function createBundle(now: Date): Promise<Bundle> {
  const x509 = await loadX509();
  const caKeys = await generateKeys();
  const serverKeys = await generateKeys();
  const validity = {
    notBefore: new Date(now.getTime() - dayMs),
    notAfter: new Date(now.getTime() + lifetimeMs),
  };
  const issuer = `CN=Local webhook stack ${randomBytes(4).toString('hex')}`;
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: serialNumber(),
    name: issuer,
    keys: caKeys,
    signingAlgorithm: signing,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const cert = await x509.X509CertificateGenerator.create({
    ...validity,
    serialNumber: serialNumber(),
    subject: 'CN=receiver.localhost',
    issuer,
    publicKey: serverKeys.publicKey,
    signingKey: caKeys.privateKey,
    signingAlgorithm: signing,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...hostNames.map((value) => ({ type: 'dns' as const, value })),
        { type: 'ip', value: '127.0.0.1' },
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  return { ca: ca.toString('pem'), cert: cert.toString('pem'), key: await exportKey(serverKeys.privateKey) };
}

/**
 * The library's container asks for metadata reflection as it loads, but its own classes carry none: answering
 * "nothing known" is enough and needs no polyfill package.
 */
async function loadX509() {
  if (!('getMetadata' in Reflect)) {
    Object.assign(Reflect, { getMetadata: () => undefined, getOwnMetadata: () => undefined });
  }
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto);
  return x509;
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(signing, true, ['sign', 'verify']);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}

/** Positive and without padding in DER: the first bit is clear and the second is set. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes.toString('hex');
}
