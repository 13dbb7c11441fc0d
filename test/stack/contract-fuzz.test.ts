import { contractFuzz } from '../support/contract-fuzz.ts';

contractFuzz({ accepted: 1, refused: 2 });
