import { contractFuzz } from '../support/contract-fuzz.ts';

contractFuzz({ accepted: 5, refused: 12 });
