import { contractFuzz } from '../support/life/contract-fuzz.ts';

contractFuzz({ accepted: 1, refused: 2 });
