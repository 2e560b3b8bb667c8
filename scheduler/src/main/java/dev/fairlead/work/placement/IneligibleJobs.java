package dev.fairlead.work.placement;

import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.CheckTransitions;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.ordering.PendingQueues.Ineligible;
import dev.fairlead.work.spec.Deadline;
import java.util.List;

/** Holds the jobs that cannot be tried in this cycle. Ends a job that can no longer start. */
final class IneligibleJobs {
  private final CycleState state;

  IneligibleJobs(CycleState state) {
    this.state = state;
  }

  void hold() {
    Outcome outcome = state.outcome();
    for (Ineligible each : state.queues().ineligible()) {
      Job job = each.row().job();
      outcome.hold(job, each.equivalenceClass(), each.why());
      if (Deadline.passed(job.spec(), state.asOf())) {
        outcome.expire(job);
      } else if (each.row().failsByDependency()) {
        outcome.dependencyFailed(each.row());
      } else if (only(Reason.ADMISSION_CHECK, each.why())) {
        ask(job);
      } else if (only(Reason.BACKING_OFF, each.why())) {
        state.demand().add(each.equivalenceClass());
      }
    }
    state.world().deadElements().forEach(outcome::elementsFailed);
  }

  private static boolean only(Reason reason, List<Blocker> why) {
    return why.stream().allMatch(blocker -> blocker.reason() == reason);
  }

  /** Requests due checks of a job that only its checks hold back. */
  private void ask(Job job) {
    List<String> checks = state.admission().checks(job.queue());
    if (!CheckTransitions.due(job, checks, state.asOf()).isEmpty()) {
      state.outcome().ask(job, checks);
    }
  }
}
