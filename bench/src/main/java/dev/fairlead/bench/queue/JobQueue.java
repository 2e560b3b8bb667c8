package dev.fairlead.bench.queue;

import dev.fairlead.launcher.EmbeddedDatabase;

/** A running system that takes jobs which do nothing, on a database of its own. */
interface JobQueue extends AutoCloseable {
  /** Starts one. */
  interface Start {
    JobQueue start() throws InterruptedException;
  }

  /** Stores one job in a commit of its own. */
  void submit();

  /** Stores so many jobs, with one commit for all where the system has it. */
  void submit(int jobs);

  /** Whether the ends of all jobs that were submitted are stored. */
  boolean done();

  EmbeddedDatabase database();

  /** The process whose CPU is counted. */
  ProcessHandle process();

  @Override
  void close();
}
