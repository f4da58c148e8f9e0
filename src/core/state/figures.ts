// The metrics of the state engines. Each engine has a part of them.
import { counter, type Figures, gauge } from '../figures.ts';

export const stateFigures = {
  commits: counter('Commits, each of as many write sets as were waiting.'),
  syncs: counter('Commits that were synced to disk: all that changed anything.'),
  sets: counter('Write sets that were committed.'),
  failedSets: counter('Write sets of which a guard failed: each was applied not at all.'),
  failedCommits: counter('Commits that could not be made, on a full disk for one.'),
  repeatedFlushes: counter('Commits made again, with each write set apart, for one of them had failed.'),
  waiting: gauge('Write sets that wait for the next commit.'),
  checkpoints: counter('Times the log was copied into the file.'),
  restarts: counter('Times the log was begun anew, with everybody waiting for it.'),
  checkpointFailures: counter('Times the log could not be copied into the file.'),
  checkpointSynchronous: gauge('PRAGMA synchronous of the connection that copies the log; -1 before it was asked.'),
  fileBytes: gauge('Size of the file of the state.'),
  logBytes: gauge('Size of the log of the state.'),
  damaged: gauge('1 where a part of the file can not be read.'),
  synchronous: gauge('PRAGMA synchronous of the connection that commits: 2 is FULL.'),
  reconnects: counter('Connections to the database that had to be made again.'),
  poolSize: gauge('Connections that reads share.'),
  connected: gauge('1 where the connection that commits is there.'),
};

export type StateFigures = Figures<typeof stateFigures>;
