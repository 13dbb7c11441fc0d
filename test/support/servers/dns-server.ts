import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

export type Question = { name: string; type: 'A' | 'AAAA' | 'other' };
/** Addresses and, written `cname:<name>`, aliases; `servfail` instead if the server should fail. */
export type Answer = readonly string[] | 'servfail' | 'silence';

const TYPES: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' };
const CODES = { A: 1, CNAME: 5, AAAA: 28 } as const;

/** A name server on loopback with these answers, a time to live of 0, and a record of the questions. */
export async function dnsServer(
  answer: (question: Question, asked: readonly Question[]) => Answer,
  port = 0,
) {
  const socket = createSocket('udp4');
  const asked: Question[] = [];
  socket.on('message', (query, from) => {
    const question = readQuestion(query);
    const result = answer(question, asked);
    asked.push(question);
    if (result !== 'silence') socket.send(writeAnswer(query, question, result), from.port, from.address);
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => socket.close(resolve)),
  };
}

/** RFC 1035 §4.1.2: the one question, after the twelve bytes of header. */
function readQuestion(query: Buffer): Question {
  const labels: string[] = [];
  let offset = 12;
  for (let length = query.readUInt8(offset); length > 0; length = query.readUInt8(offset)) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: TYPES[query.readUInt16BE(offset + 1)] ?? 'other' };
}

function writeAnswer(query: Buffer, question: Question, answer: Exclude<Answer, 'silence'>): Buffer {
  const records = answer === 'servfail' ? [] : answer.filter((entry) => fits(entry, question));
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(answer === 'servfail' ? 0x8182 : 0x8180, 2);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  const end = query.indexOf(0, 12) + 5;
  return Buffer.concat([header, query.subarray(12, end), ...chain(question.name, records)]);
}

function fits(entry: string, { type }: Question): boolean {
  if (entry.startsWith('cname:')) return true;
  return type === (isIPv6(entry) ? 'AAAA' : 'A');
}

/** The records in order; after an alias they belong to the name it points to. */
function chain(name: string, entries: readonly string[]): Buffer[] {
  let owner = name;
  return entries.map((entry) => {
    if (!entry.startsWith('cname:'))
      return record(owner, isIPv6(entry) ? CODES.AAAA : CODES.A, addressBytes(entry));
    const alias = entry.slice('cname:'.length);
    const written = record(owner, CODES.CNAME, nameBytes(alias));
    owner = alias;
    return written;
  });
}

function record(owner: string, type: number, content: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(content.length, 8);
  return Buffer.concat([nameBytes(owner), fixed, content]);
}

function nameBytes(name: string): Buffer {
  const labels = name
    .split('.')
    .map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function addressBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  const [left = '', right = ''] = address.split('::');
  const groups = (part: string) => part.split(':').filter(Boolean);
  const zeros = Array<string>(8 - groups(left).length - groups(right).length).fill('0');
  const words = [...groups(left), ...zeros, ...groups(right)].map((group) => parseInt(group, 16));
  return Buffer.from(words.flatMap((word) => [word >> 8, word & 0xff]));
}
