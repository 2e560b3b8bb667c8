package dev.fairlead.e2e;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PriorityClass;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rolling updates of Kubernetes Deployments with a maxSurge of 1 and a maxUnavailable of 0, whose
 * pods have no priority: a surge pod waits for a free GPU while the old pods hold theirs.
 */
final class PlainDeployments {
  private final InMemoryFairlead fairlead;
  private final List<Deployment> all = new ArrayList<>();

  private static final class Deployment {
    private final List<Job> old = new ArrayList<>();
    private final List<Job> updated = new ArrayList<>();
    private final String name;
    private int pods;
    private @Nullable Job surge;
    private @Nullable Job leaving;

    Deployment(String name) {
      this.name = name;
    }
  }

  PlainDeployments(InMemoryFairlead fairlead, int count, int replicas) {
    this.fairlead = fairlead;
    for (int i = 0; i < count; i++) {
      Deployment one = new Deployment("web-" + i);
      for (int pod = 0; pod < replicas; pod++) {
        one.updated.add(started(one));
      }
      all.add(one);
    }
  }

  static Specs pod(String name) {
    return Specs.job(name)
        .gpus(1)
        .priority(PriorityClass.LOW)
        .annotation("sim.fairlead.dev/run-for", "100h");
  }

  private Job started(Deployment one) {
    return fairlead.submit(pod(one.name + "-" + one.pods++));
  }

  /** Changes all pod templates. */
  void update() {
    for (Deployment one : all) {
      one.old.addAll(one.updated);
      one.updated.clear();
    }
  }

  /** One pass of the controller. */
  void look() {
    for (Deployment one : all) {
      if (one.leaving != null && fairlead.job(one.leaving).run().ended()) {
        one.leaving = null;
      }
      if (one.surge != null && fairlead.state(one.surge) == JobState.RUNNING) {
        one.updated.add(one.surge);
        one.surge = null;
        one.leaving = one.old.removeFirst();
        Job _ = fairlead.commands().cancel(fairlead.ana(), one.leaving.id());
      }
      if (one.surge == null && one.leaving == null && !one.old.isEmpty()) {
        one.surge = started(one);
      }
    }
  }

  /** Updates without an old pod. */
  int complete() {
    return Math.toIntExact(all.stream().filter(one -> one.old.isEmpty()).count());
  }

  /** Returns the updates that missed their deadline to the old template. */
  void undo() {
    for (Deployment one : all) {
      if (one.surge != null) {
        Job _ = fairlead.commands().cancel(fairlead.ana(), one.surge.id());
        one.surge = null;
      }
      one.updated.addAll(one.old);
      one.old.clear();
    }
  }
}
