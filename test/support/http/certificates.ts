import { webcrypto } from 'node:crypto';

const signing = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const rsaSigning = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: Uint8Array.of(1, 0, 1),
} as const;
const hourMs = 60 * 60 * 1000;

export type Certificate = { readonly cert: string; readonly key: string };

export type CertificateWish = {
  readonly dns?: readonly string[];
  readonly ip?: readonly string[];
  /** Common name; not a name that verification may use. */
  readonly commonName?: string;
  /** Hours from now. */
  readonly from?: number;
  readonly until?: number;
  /** Of the certificate's own key. Default P-256. */
  readonly keys?: 'P-256' | 'RSA';
};

export type TestAuthority = {
  /** PEM; the connecting side has to trust it. */
  readonly ca: string;
  issue(wish: CertificateWish): Promise<Certificate>;
};

/** A certificate authority for one test; its keys are never stored. */
export async function createTestAuthority(): Promise<TestAuthority> {
  const x509 = await loadX509();
  const keys = await generateKeys();
  const issuer = 'CN=Test authority';
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity({}),
    name: issuer,
    keys,
    signingAlgorithm: signing,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  const issue = async (wish: CertificateWish): Promise<Certificate> => {
    const own = await (wish.keys === 'RSA' ? generateRsaKeys() : generateKeys());
    const cert = await x509.X509CertificateGenerator.create({
      ...validity(wish),
      subject: `CN=${wish.commonName ?? 'receiver'}`,
      issuer,
      publicKey: own.publicKey,
      signingKey: keys.privateKey,
      signingAlgorithm: signing,
      extensions: await subjectNames(wish),
    });
    return { cert: cert.toString('pem'), key: await exportKey(own.privateKey) };
  };
  return { ca: ca.toString('pem'), issue };
}

export async function createSelfSigned(wish: CertificateWish): Promise<Certificate> {
  const x509 = await loadX509();
  const keys = await generateKeys();
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(wish),
    name: `CN=${wish.commonName ?? 'receiver'}`,
    keys,
    signingAlgorithm: signing,
    extensions: await subjectNames(wish),
  });
  return { cert: cert.toString('pem'), key: await exportKey(keys.privateKey) };
}

/** The library asks for metadata reflection as it loads, but its own classes carry no metadata. */
async function loadX509() {
  if (!('getMetadata' in Reflect)) {
    Object.assign(Reflect, { getMetadata: () => undefined, getOwnMetadata: () => undefined });
  }
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto);
  return x509;
}

async function subjectNames({ dns = [], ip = [] }: CertificateWish) {
  const x509 = await loadX509();
  const names = [
    ...dns.map((value) => ({ type: 'dns' as const, value })),
    ...ip.map((value) => ({ type: 'ip' as const, value })),
  ];
  return names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)];
}

function validity({ from = -1, until = 1 }: CertificateWish): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now + from * hourMs), notAfter: new Date(now + until * hourMs) };
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(signing, true, ['sign', 'verify']);
}

function generateRsaKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(rsaSigning, true, ['sign', 'verify']);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const body = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${body.replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;
}
