import { expect, test } from 'vitest';
import { isLoopback, loopbackNames } from '../../local/loopback-names.ts';

test.each(['localhost:8000', '127.0.0.1:8000', '[::1]:8000'])('%s is allowed under every name', (target) => {
  expect(loopbackNames(target).sort()).toEqual(['127.0.0.1:8000', '[::1]:8000', 'localhost:8000']);
});

test('another host is allowed under its own name only', () => {
  expect(loopbackNames('192.168.1.4:80')).toEqual(['192.168.1.4:80']);
});

test.each([
  ['127.0.0.1', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['::ffff:10.0.0.1', false],
  ['192.168.127.1', false],
  [undefined, false],
])('%s is a loopback address: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected);
});
