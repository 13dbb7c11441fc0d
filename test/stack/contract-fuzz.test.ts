import { contractFuzz } from '../support/contract-fuzz.ts';

contractFuzz({ accepted: 2, refused: 4 });
