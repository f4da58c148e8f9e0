// The program that checks GitHub's workflows, built from its Go module.
import { type Absent, type Found, goModule } from '../install.ts';

const actionlintModule = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12';

export const actionlint = (): Promise<Found | Absent> => goModule('CUMULET_ACTIONLINT', actionlintModule, 'actionlint');
