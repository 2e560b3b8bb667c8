package dev.fairlead.verify.load.queue;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.verify.load.submit.BenchFleet;
import java.util.List;

/**
 * Fairlead with one simulated cluster, through REST: quota, placement, allocation of a GPU, events
 * and audit for each job, launched by the cluster's supervisor. All roles run in one process.
 */
final class FairleadQueue implements JobQueue {
  private final LocalFairlead fairlead;
  private final ShortJobs jobs;

  private FairleadQueue(LocalFairlead fairlead) {
    this.fairlead = fairlead;
    this.jobs = new ShortJobs(fairlead.api());
  }

  static FairleadQueue start(int nodes) throws InterruptedException {
    FairleadQueue queue =
        new FairleadQueue(
            LocalFairlead.start("bench-queue", List.of(), EmbeddedDatabase.durable()));
    BenchFleet.register(queue.fairlead.api(), nodes);
    return queue;
  }

  @Override
  public void submit() {
    jobs.submit();
  }

  @Override
  public void submit(int count) {
    jobs.submit(count);
  }

  @Override
  public boolean done() {
    return jobs.done();
  }

  @Override
  public EmbeddedDatabase database() {
    return fairlead.database();
  }

  @Override
  public ProcessHandle process() {
    return ProcessHandle.of(fairlead.service().pid()).orElseThrow();
  }

  @Override
  public void close() {
    fairlead.close();
  }
}
