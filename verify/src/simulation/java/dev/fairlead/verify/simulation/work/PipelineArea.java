package dev.fairlead.verify.simulation.work;

import dev.fairlead.kernel.idempotency.IdempotencyKey;
import dev.fairlead.kernel.idempotency.IdempotencyStore;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.ProcessDied;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.Pipelines;
import dev.fairlead.work.job.service.query.JobQueries;
import dev.fairlead.work.job.service.query.OwnerNames;
import dev.fairlead.work.job.service.query.Submitted;
import dev.fairlead.work.job.service.spi.RayPools;
import dev.fairlead.work.job.service.submit.BatchResult;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.store.Pipeline;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.spec.JobSpec.Dependency.Condition;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A user submits pipelines of eight steps (some wait element by element), cancels some steps, and
 * retries each pipeline that failed. An unanswered request is repeated with its key. Each retry
 * submits exactly the failed part once.
 */
public final class PipelineArea implements Area {
  /** The steps with the steps that they depend on. */
  private static final List<Step> STEPS =
      List.of(
          new Step("prep", null, Condition.SUCCEEDED, null),
          new Step("train", "prep", Condition.SUCCEEDED, null),
          new Step("check", "train", Condition.SUCCEEDED, null),
          new Step("clean", "check", Condition.ENDED, null),
          new Step("alert", "train", Condition.FAILED, null),
          new Step("shard", null, Condition.SUCCEEDED, "0-3%2"),
          new Step("merge", "shard", Condition.SUCCEEDED, "0-3%1"),
          new Step("mend", "shard", Condition.FAILED, "0-3"));

  /** Beginning of the keys of retries. */
  private static final String RETRY = "retry ";

  private static final int MOST_RETRIES = 3;
  private static final Duration LOOK = Duration.ofSeconds(30);

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final boolean plays;
  private final List<Desk> desks = new ArrayList<>();
  private final List<Run> runs = new ArrayList<>();
  private boolean open;
  private @Nullable String broken;
  private @Nullable String unfollowed;

  /**
   * A step of all pipelines.
   *
   * @param array array of a step whose elements wait for elements, null for another step
   */
  private record Step(
      String name, @Nullable String needs, Condition condition, @Nullable String array) {}

  /** The requests that one process serves. */
  private record Desk(Process process, Pipelines pipelines) {}

  /** A pipeline and the number of its jobs of each step that were submitted. */
  private static final class Run {
    private final String name;
    private final SortedMap<String, Integer> jobs = new TreeMap<>();
    private int retries;

    Run(String name) {
      this.name = name;
    }
  }

  public PipelineArea(
      RandomGenerator chance, VirtualTime time, DurableState durable, Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    boolean removed = missing.contains(Guard.RETRY_KEY) || missing.contains(Guard.ELEMENT_EDGE);
    this.plays = removed || missing.isEmpty() && chance.nextInt(3) == 0;
    this.open = plays;
    if (plays) {
      durable.unlimited(
          Stream.of(CapacityType.RESERVED, CapacityType.ON_DEMAND)
              .map(type -> new Flavor(Flavor.CPU, type))
              .toList());
      begin();
    }
  }

  /** A store that does not find the answers to retries again. */
  static IdempotencyStore forgetful(IdempotencyStore stored) {
    return new IdempotencyStore() {
      @Override
      public Set<IdempotencyKey> claim(Collection<IdempotencyKey> keys) {
        return stored.claim(keys);
      }

      @Override
      public Map<IdempotencyKey, Remembered> find(Collection<IdempotencyKey> keys) {
        return keys.stream().anyMatch(PipelineArea::ofRetry) ? Map.of() : stored.find(keys);
      }

      @Override
      public void remember(Map<IdempotencyKey, Remembered> answers) {
        if (answers.keySet().stream().noneMatch(PipelineArea::ofRetry)) {
          stored.remember(answers);
        }
      }
    };
  }

  private static boolean ofRetry(IdempotencyKey key) {
    return key.key().startsWith(RETRY);
  }

  @Override
  public List<Loop> loops(Process process) {
    MemoryStores stores = durable.stores();
    desks.removeIf(desk -> !desk.process.life().alive());
    JobQueries queries =
        new JobQueries(
            process.transactions(),
            stores.jobs(),
            stores.tenants(),
            new OwnerNames(stores.tenants()),
            stores.explanations(),
            stores.events(),
            stores.progress(),
            stores.outputs(),
            stores.inventory(),
            RayPools.ANY);
    desks.add(
        new Desk(
            process,
            new Pipelines(process.transactions(), stores.jobs(), queries, process.commands())));
    return List.of();
  }

  private void begin() {
    time.in(
        time.between(Duration.ofSeconds(1), Duration.ofMinutes(8)),
        "a user of pipelines",
        () -> {
          if (open) {
            submit(new Run("night-" + runs.size()));
            begin();
          }
        });
  }

  private Project project() {
    return durable.world().project();
  }

  private void submit(Run run) {
    runs.add(run);
    List<NewJob> wanted = STEPS.stream().map(step -> job(run, step)).toList();
    RequestKey key = new RequestKey(run.name, run.name);
    asked(
        "submit " + run.name,
        desk -> {
          List<BatchResult> results =
              desk.process
                  .commands()
                  .submitAll(durable.actor(), project().name(), wanted, true, key, false);
          if (results.stream().allMatch(each -> each instanceof BatchResult.Accepted)) {
            STEPS.forEach(step -> run.jobs.put(step.name, 1));
            look(run);
          }
        });
  }

  private NewJob job(Run run, Step step) {
    Specs spec =
        Specs.job(run.name + "-" + step.name)
            .label(Pipeline.LABEL, run.name)
            .annotation("sim.fairlead.dev/run-for", 1 + chance.nextInt(20) + "s");
    if (step.array != null) {
      String failing = Integer.toString(chance.nextInt(4));
      spec.array(step.array).annotation("sim.fairlead.dev/elements", failing);
    }
    if (chance.nextInt(4) == 0) {
      spec.annotation("sim.fairlead.dev/outcome", "fail");
    }
    List<NewJob.Named> named =
        step.needs == null
            ? List.of()
            : List.of(
                new NewJob.Named(
                    0, run.name + "-" + step.needs, step.condition, step.array != null));
    return new NewJob(spec.build(), named, null);
  }

  /** The user handles the pipeline: cancels a step, or retries when all steps have ended. */
  private void look(Run run) {
    time.in(
        time.between(Duration.ofSeconds(1), LOOK),
        "a user of " + run.name,
        () -> {
          counted(run, Set.of());
          followed(run);
          List<Job> active = jobs(run).stream().filter(job -> !job.run().ended()).toList();
          if (!active.isEmpty()) {
            if (open && chance.nextInt(8) == 0) {
              cancel(active.get(chance.nextInt(active.size())));
            }
            look(run);
          } else if (run.retries < MOST_RETRIES && !failed(run).isEmpty()) {
            retry(run);
          }
        });
  }

  private void cancel(Job job) {
    List<Desk> up = desks.stream().filter(desk -> desk.process.life().responds()).toList();
    if (!up.isEmpty()) {
      try {
        Job _ = up.getFirst().process.commands().cancel(durable.actor(), job.id());
      } catch (ProcessDied | RuntimeException unanswered) {
        time.say(() -> "cancel " + job.name() + " unanswered: " + unanswered);
      }
    }
  }

  /** All jobs of the pipeline, the newest first. */
  private List<Job> jobs(Run run) {
    return durable.stores().jobs().all().stream()
        .filter(job -> run.name.equals(job.spec().labels().get(Pipeline.LABEL)))
        .sorted((one, other) -> other.id().compareTo(one.id()))
        .toList();
  }

  private Job newest(Run run, String step) {
    return jobs(run).stream()
        .filter(job -> job.name().equals(run.name + "-" + step))
        .findFirst()
        .orElseThrow();
  }

  /** Steps that failed or were cancelled, and the steps behind them. Steps follow their needs. */
  private SortedSet<String> failed(Run run) {
    SortedSet<String> failed = new TreeSet<>();
    for (Step step : STEPS) {
      Job job = newest(run, step.name);
      boolean skipped =
          job.run().failure() != null && job.run().failure().cause() == FailureCause.SKIPPED;
      boolean unsuccessful =
          job.state() == JobState.FAILED || job.state() == JobState.CANCELLED && !skipped;
      if (unsuccessful || step.needs != null && failed.contains(step.needs)) {
        failed.add(step.name);
      }
    }
    return failed;
  }

  private void retry(Run run) {
    SortedSet<String> part = failed(run);
    run.retries++;
    String name = RETRY + run.retries + " of " + run.name;
    RequestKey key = new RequestKey(name, name);
    asked(
        name,
        desk -> {
          counted(run, part);
          List<Submitted> again =
              desk.pipelines.retry(
                  durable.actor(),
                  project().name(),
                  run.name,
                  UnaryOperator.identity(),
                  key,
                  false);
          part.forEach(step -> run.jobs.merge(step, 1, Integer::sum));
          counted(run, Set.of());
          again.forEach(each -> connected(run, part, each.job()));
          look(run);
        });
  }

  /** A new job depends on new jobs of the failed part, and on the earlier jobs of other steps. */
  private void connected(Run run, Set<String> part, Job job) {
    for (Dependency each : job.spec().dependsOn()) {
      boolean right =
          STEPS.stream()
              .map(step -> newest(run, step.name))
              .anyMatch(other -> other.id().equals(each.job()));
      if (!right) {
        breaks(job.name() + " depends on an earlier run than " + part);
      }
    }
  }

  /**
   * Compares the number of jobs with the orders of the user.
   *
   * @param unanswered steps of a retry that is not answered yet. Either all or none are stored
   */
  private void counted(Run run, Set<String> unanswered) {
    SortedMap<String, Integer> stored = new TreeMap<>();
    jobs(run)
        .forEach(job -> stored.merge(job.name().substring(run.name.length() + 1), 1, Integer::sum));
    SortedMap<String, Integer> more = new TreeMap<>(run.jobs);
    unanswered.forEach(step -> more.merge(step, 1, Integer::sum));
    if (!stored.equals(run.jobs) && !stored.equals(more)) {
      breaks(run.name + " has " + stored + " and not " + run.jobs + " or " + more);
    }
  }

  /**
   * Each element with an attempt follows an element of its index that met the condition. An element
   * without one has ended only because that element did not meet it.
   */
  private void followed(Run run) {
    for (Step step : STEPS) {
      Job job = newest(run, step.name);
      if (step.array == null || step.needs == null) {
        continue;
      }
      JobState wanted = step.condition == Condition.FAILED ? JobState.FAILED : JobState.SUCCEEDED;
      JobId needed = job.spec().dependsOn().getFirst().job();
      SortedMap<Integer, JobState> needs =
          states(
              jobs(run).stream()
                  .filter(each -> each.id().equals(needed))
                  .findFirst()
                  .orElseThrow());
      for (JobElement element : elements(job.id())) {
        boolean met = needs.get(element.index()) == wanted;
        FailureCause cause =
            element.run().failure() == null ? null : element.run().failure().cause();
        boolean skipped = cause == FailureCause.SKIPPED || cause == FailureCause.DEPENDENCY_FAILED;
        if (met == skipped || element.run().attempts() > 0 && !met) {
          unfollowed =
              Objects.requireNonNullElse(
                  unfollowed,
                  "element %d of %s is %s (%s), but %s is %s"
                      .formatted(
                          element.index(),
                          job.name(),
                          element.run().state(),
                          cause,
                          step.needs,
                          needs.get(element.index())));
        }
      }
    }
  }

  /** States of elements. An element that waited at the end of its array ended with the array. */
  private SortedMap<Integer, JobState> states(Job array) {
    SortedMap<Integer, JobState> states = new TreeMap<>();
    for (int i = 0; i < Objects.requireNonNull(array.array()).elements(); i++) {
      states.put(i, array.state());
    }
    elements(array.id()).stream()
        .filter(each -> each.run().ended() || !array.run().ended())
        .forEach(each -> states.put(each.index(), each.run().state()));
    return states;
  }

  private List<JobElement> elements(JobId job) {
    return durable.stores().jobs().elements(job, 0, 10);
  }

  private void breaks(String what) {
    broken = Objects.requireNonNullElse(broken, what);
  }

  /** A request to any process, repeated until it is answered. */
  private void asked(String what, Consumer<Desk> request) {
    List<Desk> up = desks.stream().filter(desk -> desk.process.life().responds()).toList();
    try {
      if (!up.isEmpty()) {
        request.accept(up.get(chance.nextInt(up.size())));
        return;
      }
    } catch (Refusal refused) {
      if (refused.code() == ProblemCode.ILLEGAL_STATE) {
        breaks(what + " is refused: " + refused.getMessage());
      }
      time.say(() -> what + " refused: " + refused.getMessage());
      return;
    } catch (ProcessDied | RuntimeException unanswered) {
      time.say(() -> what + " unanswered: " + unanswered);
    }
    time.in(
        time.between(Duration.ofMillis(100), Duration.ofMinutes(2)),
        what + " again",
        () -> asked(what, request));
  }

  /** Users no longer submit or cancel. They still retry failed parts. */
  @Override
  public void heal() {
    open = false;
  }

  @Override
  public void check() {
    if (broken != null) {
      throw new InvariantBroken(Invariant.RETRY_SUBMITS_ONCE, broken);
    }
    if (unfollowed != null) {
      throw new InvariantBroken(Invariant.ELEMENT_FOLLOWS_ITS_OWN, unfollowed);
    }
  }

  @Override
  public void end() {
    for (Run run : runs) {
      counted(run, Set.of());
      followed(run);
      if (run.jobs.isEmpty() || run.retries < MOST_RETRIES && !failed(run).isEmpty()) {
        breaks(run.name + " is not retried: " + failed(run));
      }
    }
    check();
  }
}
