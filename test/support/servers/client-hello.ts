import { createHash } from 'node:crypto';

/** A client's first message: https://www.rfc-editor.org/rfc/rfc8446#section-4.1.2 */
export type ClientHello = {
  ciphers: number[];
  extensions: { id: number; bytes: Buffer }[];
};

export const EXTENSION = {
  serverName: 0,
  groups: 10,
  signatureAlgorithms: 13,
  alpn: 16,
  compressCertificate: 27,
  versions: 43,
  keyShare: 51,
  alps: 17_613,
  encryptedClientHello: 65_037,
} as const;

const GREASE = 'grease';
/** A reserved value that keeps servers tolerant: https://www.rfc-editor.org/rfc/rfc8701#section-2 */
const isGrease = (value: number) => (value & 0x0f0f) === 0x0a0a && value >> 8 === (value & 0xff);
const named = (value: number) => (isGrease(value) ? GREASE : value);

const RECORD_HEAD = 5;
/** The offset after the record header, handshake header, version and random bytes. */
const SESSION_ID_AT = RECORD_HEAD + 4 + 2 + 32;

/** The first record of a connection, once it is complete. */
export function firstRecord(bytes: Buffer): Buffer | undefined {
  if (bytes.length < RECORD_HEAD) return undefined;
  const end = RECORD_HEAD + bytes.readUInt16BE(3);
  return bytes.length < end ? undefined : bytes.subarray(0, end);
}

export function parseClientHello(record: Buffer): ClientHello {
  let at = SESSION_ID_AT + 1 + record.readUInt8(SESSION_ID_AT);
  const ciphers = numbers(record.subarray(at + 2, at + 2 + record.readUInt16BE(at)));
  at += 2 + record.readUInt16BE(at);
  at += 1 + record.readUInt8(at);
  const extensions: ClientHello['extensions'] = [];
  for (at += 2; at < record.length;) {
    const end = at + 4 + record.readUInt16BE(at + 2);
    extensions.push({ id: record.readUInt16BE(at), bytes: record.subarray(at + 4, end) });
    at = end;
  }
  return { ciphers, extensions };
}

/** The parts that distinguish clients and stay the same between connections. */
export function portraitOf(hello: ClientHello) {
  const { ciphers, extensions } = hello;
  const bytesOf = (id: number) => extensions.find((extension) => extension.id === id)?.bytes ?? Buffer.of();
  const ids = extensions.map(({ id }) => named(id));
  const listOf = (id: number, head: number) => numbers(bytesOf(id).subarray(head)).map(named);
  return {
    ja4: ja4Of(hello),
    ciphers: ciphers.map(named),
    extensions: ids.toSorted((a, b) => String(a).localeCompare(String(b))),
    greasedEnds: [ids[0], ids.at(-1)],
    groups: listOf(EXTENSION.groups, 2),
    signatureAlgorithms: listOf(EXTENSION.signatureAlgorithms, 2),
    versions: listOf(EXTENSION.versions, 1),
    alpn: protocols(bytesOf(EXTENSION.alpn)),
    alps: protocols(bytesOf(EXTENSION.alps)),
    keyShares: keyShares(bytesOf(EXTENSION.keyShare)),
    compressCertificate: listOf(EXTENSION.compressCertificate, 1),
  };
}

/** The ids of the extensions, in the order received. */
export const orderOf = ({ extensions }: ClientHello) => extensions.map(({ id }) => named(id));

export const encryptedHelloBytes = ({ extensions }: ClientHello) =>
  extensions.find(({ id }) => id === EXTENSION.encryptedClientHello)?.bytes.length ?? 0;

/** https://github.com/FoxIO-LLC/ja4/blob/main/technical_details/JA4.md */
function ja4Of({ ciphers, extensions }: ClientHello): string {
  const suites = ciphers.filter((id) => !isGrease(id));
  const wanted = extensions.filter(({ id }) => !isGrease(id));
  const bytesOf = (id: number) => wanted.find((extension) => extension.id === id)?.bytes ?? Buffer.of();
  const versions = numbers(bytesOf(EXTENSION.versions).subarray(1)).filter((id) => !isGrease(id));
  const version = Math.max(...versions) === 0x0304 ? '13' : '12';
  const named = bytesOf(EXTENSION.serverName).length > 0 ? 'd' : 'i';
  const [alpn = '00'] = protocols(bytesOf(EXTENSION.alpn));
  const count = (list: unknown[]) => String(Math.min(list.length, 99)).padStart(2, '0');
  const sorted = wanted
    .map(({ id }) => id)
    .filter((id) => id !== EXTENSION.serverName && id !== EXTENSION.alpn)
    .toSorted((a, b) => a - b);
  const algorithms = numbers(bytesOf(EXTENSION.signatureAlgorithms).subarray(2));
  const a = `t${version}${named}${count(suites)}${count(wanted)}${alpn[0]}${alpn.at(-1)}`;
  const b = digest(
    suites
      .toSorted((x, y) => x - y)
      .map(hex)
      .join(),
  );
  const kept = algorithms.filter((id) => !isGrease(id));
  return `${a}_${b}_${digest(`${sorted.map(hex).join()}_${kept.map(hex).join()}`)}`;
}

const hex = (value: number) => value.toString(16).padStart(4, '0');
const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);

function numbers(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length >> 1 }, (_, index) => bytes.readUInt16BE(index * 2));
}

function protocols(bytes: Buffer): string[] {
  const names: string[] = [];
  for (let at = 2; at < bytes.length; at += 1 + bytes.readUInt8(at)) {
    names.push(bytes.toString('latin1', at + 1, at + 1 + bytes.readUInt8(at)));
  }
  return names;
}

/** The groups for which a key share is sent, with its length. */
function keyShares(bytes: Buffer): [group: number | string, length: number][] {
  const shares: [number | string, number][] = [];
  for (let at = 2; at < bytes.length; at += 4 + bytes.readUInt16BE(at + 2)) {
    shares.push([named(bytes.readUInt16BE(at)), bytes.readUInt16BE(at + 2)]);
  }
  return shares;
}
