package dev.fairlead.verify.simulation.work;

import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Fault;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.ProcessDied;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.job.CheckTransitions;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobCheck;
import dev.fairlead.work.job.service.JobControl;
import dev.fairlead.work.spec.JobSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * An admission check of the queue with its controller, which responds to each request seconds later
 * and is down for a while. A start needs its READY for that attempt and spec.
 */
public final class CheckArea implements Area {
  private static final String NAME = "review";
  private static final Duration EVERY = Duration.ofSeconds(5);
  private static final Duration RETRY = Duration.ofSeconds(40);

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final List<Process> processes = new ArrayList<>();
  private final Set<Ready> ready = new HashSet<>();
  private final Set<String> answered = new HashSet<>();
  private final Set<AttemptId> known = new HashSet<>();
  private boolean dead;
  private boolean calm;
  private @Nullable String broken;

  /**
   * The controller permitted this.
   *
   * @param attempt its number, 0 for an array
   */
  private record Ready(JobId job, int attempt, JobSpec spec) {}

  public CheckArea(
      RandomGenerator chance, VirtualTime time, DurableState durable, Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    boolean wanted = missing.contains(Guard.CHECK);
    if (wanted || missing.isEmpty() && chance.nextInt(3) == 0) {
      QuotaNode queue = durable.world().queue();
      durable
          .stores()
          .quotas()
          .update(queue.changed(Objects.requireNonNull(queue.queue()).withChecks(List.of(NAME))));
      durable.afterAttempts(this::follow);
      answer();
    }
  }

  /** Checks one commit: every new allocation must have been permitted. */
  private void follow() {
    for (Attempt attempt : durable.stores().jobs().live()) {
      if (known.add(attempt.id())) {
        Job job = durable.stores().jobs().findAll(List.of(attempt.job())).getFirst();
        int number = job.array() == null ? attempt.number() : 0;
        if (!ready.contains(new Ready(job.id(), number, job.spec()))) {
          broken = Objects.requireNonNullElse(broken, job.name() + " attempt " + number);
        }
      }
    }
  }

  private void answer() {
    time.in(
        EVERY,
        "check controller",
        () -> {
          if (!dead) {
            durable.stores().jobs().active().forEach(this::read);
          }
          answer();
        });
  }

  private void read(Job job) {
    for (JobCheck check : job.checks()) {
      boolean asked = check.state() == JobCheck.State.PENDING && job.current(check);
      if (asked && answered.add(job.id() + "/" + check.request())) {
        time.in(
            time.between(Duration.ofMillis(10), Duration.ofSeconds(20)),
            "check " + job.name(),
            () -> report(job, check, verdict()));
      }
    }
  }

  private JobCheck.State verdict() {
    int one = calm ? 0 : chance.nextInt(20);
    return one < 15
        ? JobCheck.State.READY
        : one < 19 ? JobCheck.State.RETRY : JobCheck.State.REJECTED;
  }

  /** Repeats a report that was not answered, also after the death of the controller. */
  private void report(Job job, JobCheck check, JobCheck.State state) {
    if (state == JobCheck.State.READY) {
      ready.add(new Ready(job.id(), check.attempt(), job.spec()));
    }
    CheckTransitions.Report report =
        new CheckTransitions.Report(NAME, state, check.request(), "", RETRY);
    Process process = processes.stream().filter(p -> p.life().responds()).findAny().orElse(null);
    try {
      if (process != null) {
        Job _ =
            process
                .control()
                .report(new JobControl.Order(durable.actor(), job.id(), null, false), report);
        return;
      }
    } catch (Refusal late) {
      return;
    } catch (ProcessDied | RuntimeException unanswered) {
      time.say(() -> "report unanswered: " + unanswered);
    }
    time.in(EVERY, "check " + job.name() + " again", () -> report(job, check, state));
  }

  @Override
  public List<Loop> loops(Process process) {
    processes.addFirst(process);
    return List.of();
  }

  @Override
  public Set<Fault> faults() {
    return Set.of(Fault.CHECKER_DEAD);
  }

  @Override
  public Runnable strike(Fault fault) {
    dead = true;
    return () -> dead = false;
  }

  @Override
  public void heal() {
    dead = false;
    calm = true;
  }

  @Override
  public void check() {
    if (broken != null) {
      throw new InvariantBroken(Invariant.STARTS_ARE_CHECKED, broken);
    }
  }
}
