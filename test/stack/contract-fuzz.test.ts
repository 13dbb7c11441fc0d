import { contractFuzz } from '../support/contract-fuzz.ts';

contractFuzz({ accepted: 3, refused: 6 });
