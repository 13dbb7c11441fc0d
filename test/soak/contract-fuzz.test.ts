import { contractFuzz } from '../support/contract-fuzz.ts';

contractFuzz({ accepted: 60, refused: 150 });
