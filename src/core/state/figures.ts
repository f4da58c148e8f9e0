// The metrics of the state engines. Each engine has a part of them.
import { counter, type Figures, gauge } from '../figures.ts';

export const stateFigures = {
  commits: counter('Commits, each of as many write sets as were waiting.'),
  syncs: counter('Commits that were synced to disk: all that changed something.'),
  sets: counter('Write sets that were committed.'),
  failedSets: counter('Write sets that failed and were not applied.'),
  failedCommits: counter('Commits that failed, on a full disk for example.'),
  repeatedFlushes: counter('Commits that were repeated because one of their write sets had failed.'),
  waiting: gauge('Write sets that wait for the next commit.'),
  checkpoints: counter('Checkpoints of the write-ahead log into the file.'),
  restarts: counter('Restarts of the write-ahead log, for which writes were paused.'),
  checkpointFailures: counter('Checkpoints that failed.'),
  checkpointSynchronous: gauge('PRAGMA synchronous of the connection that runs checkpoints; -1 before the first.'),
  fileBytes: gauge('Size of the file of the state.'),
  logBytes: gauge('Size of the write-ahead log of the state.'),
  damaged: gauge('1 if a part of the file can not be read.'),
  full: gauge('1 if a commit failed in the last seconds because the disk is full.'),
  synchronous: gauge('PRAGMA synchronous of the connection that commits: 2 is FULL.'),
  reconnects: counter('Connections to the database that had to be reopened.'),
  poolSize: gauge('Connections that reads share.'),
  connected: gauge('1 if the connection that commits is open.'),
};

export type StateFigures = Figures<typeof stateFigures>;
