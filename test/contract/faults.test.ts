import { test } from 'vitest';
import { surviveBadNetwork } from '../support/bad-network.ts';

test('a bad network doubles nothing and loses nothing', { timeout: 120_000 }, () => surviveBadNetwork(1));
