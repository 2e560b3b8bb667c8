package dev.fairlead.verify.simulation.work;

import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.ProcessDied;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.JobControl;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.spec.PriorityClass;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** Submits and cancels jobs, and repeats unanswered requests with the same key. */
public final class JobClients {
  /** Annotation of the gangs of which a member ends before the others. */
  static final String FINISH_AFTER = "sim.fairlead.dev/finish-after";

  private static final List<String> OUTCOMES =
      List.of("fail", "oom", "hang", "image-error", "reject", "node-reboot");

  private static final List<PriorityClass> PRIORITIES =
      List.of(PriorityClass.LOW, PriorityClass.NORMAL, PriorityClass.NORMAL, PriorityClass.HIGH);
  private static final List<OnUnreachable> WISHES =
      List.of(
          OnUnreachable.WAIT,
          OnUnreachable.WAIT,
          OnUnreachable.AFTER_DEADLINE,
          OnUnreachable.ALLOW_OVERLAP);

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final Supplier<List<Replica>> replicas;
  private final SortedMap<String, JobId> accepted = new TreeMap<>();
  private int most;
  private Duration every;
  private int cancelOneIn = 5;
  private Duration cancelWithin = Duration.ofMinutes(5);
  private boolean crowding;
  private boolean rows;
  private boolean overrunning;
  private boolean licences;
  private boolean staggering;
  private boolean saving;
  private boolean lasting;
  private OnUnreachable overrunners = OnUnreachable.AFTER_DEADLINE;
  private boolean wide;
  private int made;
  private int waiting;
  private boolean open = true;

  public JobClients(
      RandomGenerator chance,
      VirtualTime time,
      DurableState durable,
      Supplier<List<Replica>> replicas) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    this.replicas = replicas;
    this.most = 3 + chance.nextInt(30);
    this.every = Duration.ofSeconds(1 + chance.nextInt(60));
  }

  /** Every other job is cancelled in its first seconds: while it is launched. */
  public void regret() {
    cancelOneIn = 2;
    cancelWithin = Duration.ofSeconds(5);
  }

  /** Many small jobs that request the same resources and overtake each other by priority. */
  public void crowd(Duration interval) {
    crowding = true;
    most = 600;
    every = interval;
  }

  /** Arrays of short elements, whose rows change constantly while the remaining elements wait. */
  public void rows() {
    rows = true;
    most = 200;
    every = Duration.ofSeconds(10);
  }

  /** Jobs that would run beyond their deadline. */
  public void overrun(OnUnreachable permitted) {
    overrunning = true;
    overrunners = permitted;
    most = 200;
    every = Duration.ofSeconds(10);
  }

  /** Gangs that hold whole nodes, so that the holder of a failing GPU is known. */
  public void wide() {
    wide = true;
    most = 60;
    every = Duration.ofSeconds(30);
  }

  /** Every fourth job holds a licence from now on. */
  void licensed() {
    licences = true;
  }

  /** Every fourth gang has a fixed size from now on, and its second member ends first. */
  void staggered() {
    staggering = true;
  }

  /** Every third job may save its work before a stop from now on. */
  void saving() {
    saving = true;
  }

  /** Every third job is small and lasts for long from now on, and saves its work before a stop. */
  public void lasting() {
    lasting = true;
  }

  /** Accepted jobs by their unique name. */
  public SortedMap<String, JobId> accepted() {
    return accepted;
  }

  public void start() {
    time.in(
        time.between(Duration.ofMillis(1), every.multipliedBy(2)),
        "customer",
        () -> {
          if (open && made < most) {
            submit("job-" + made++);
            start();
          }
        });
  }

  public void close() {
    open = false;
  }

  /** Each request at its time, without later changes. */
  public void start(List<PlannedJob> plannedJobs) {
    waiting = plannedJobs.size();
    plannedJobs.forEach(planned ->
        time.in(planned.at(), "customer", () -> submit(planned.spec().name(), planned.spec())));
  }

  /** Requests that have been neither accepted nor refused so far. */
  public int unanswered() {
    return waiting;
  }

  private void submit(String name, JobSpec spec) {
    NewJob wanted = new NewJob(spec);
    String project = durable.world().project().name();
    RequestKey key = new RequestKey(name, name);
    request(
        "submit " + name,
        replica -> {
          Job job = replica.commands().submit(durable.actor(), project, wanted, key, false).job();
          accepted.put(name, job.id());
        });
  }

  private void submit(String name) {
    submit(name, spec(name).build());
    if (elastic(name) && !crowding) {
      time.in(time.between(Duration.ZERO, cancelWithin), "resize " + name, () -> resize(name));
    }
    if (chance.nextInt(cancelOneIn) == 0) {
      time.in(time.between(Duration.ZERO, cancelWithin), "cancel " + name, () -> cancel(name));
    }
  }

  /** Every second gang. */
  private static boolean elastic(String name) {
    return Math.floorMod(name.hashCode(), 2) == 0;
  }

  private boolean staggered(String name) {
    return staggering && Math.floorMod(name.hashCode(), 4) == 1;
  }

  /** The owner changes the number of workers. */
  private void resize(String name) {
    int workers = 1 + chance.nextInt(4);
    request(
        "resize " + name,
        replica -> {
          JobId id = accepted.get(name);
          if (id != null) {
            replica
                .control()
                .patch(
                    new JobControl.Order(durable.actor(), id, null, false),
                    null,
                    (job, live) -> resized(job.spec(), workers),
                    List.of("workers"));
          }
        });
  }

  private static JobSpec resized(JobSpec spec, int workers) {
    return spec.with(
        spec.roles().stream()
            .map(r -> r.minCount() < r.count() ? r.sized(workers, r.minCount()) : r)
            .toList());
  }

  public void cancel(String name) {
    request(
        "cancel " + name,
        replica -> {
          JobId id = accepted.get(name);
          if (id != null) {
            replica.commands().cancel(durable.actor(), id);
          }
        });
  }

  private void request(String what, Consumer<Replica> work) {
    List<Replica> up = replicas.get().stream().filter(r -> r.life().responds()).toList();
    try {
      if (!up.isEmpty()) {
        work.accept(up.get(chance.nextInt(up.size())));
        waiting--;
        return;
      }
    } catch (Refusal refused) {
      waiting--;
      time.say(() -> what + " refused: " + refused.getMessage());
      return;
    } catch (ProcessDied | RuntimeException unanswered) {
      time.say(() -> what + " unanswered: " + unanswered);
    }
    time.in(
        time.between(Duration.ofMillis(100), Duration.ofSeconds(5)),
        what + " again",
        () -> request(what, work));
  }

  private Specs spec(String name) {
    Specs spec = Specs.job(name);
    if (licences && Math.floorMod(name.hashCode(), 4) == 0) {
      spec.licence(LicenceArea.NAME, 1);
    }
    if (saving && Math.floorMod(name.hashCode(), 3) == 0) {
      int kind = Math.floorMod(name.hashCode(), 4);
      spec.checkpointTimeout(Duration.ofSeconds(20 + 20 * kind));
      if (kind < 2) {
        put(spec, "checkpoint-after", 1 + 30 * kind);
      }
    }
    if (lasting && Math.floorMod(name.hashCode(), 3) == 0) {
      spec.gpus(1).checkpointTimeout(Duration.ofSeconds(20));
      put(spec, "checkpoint-after", 5);
      put(spec, "run-for", 1200);
      return spec;
    }
    if (crowding) {
      spec.gpus(1).priority(PRIORITIES.get(chance.nextInt(PRIORITIES.size())));
      put(spec, "run-for", 20);
      return spec;
    }
    if (rows) {
      spec.gpus(1).array("0-19%3");
      put(spec, "run-for", 5);
      return spec;
    }
    if (overrunning) {
      spec.gpus(1).maxRuntime(Duration.ofSeconds(20)).onUnreachable(overrunners);
      put(spec, "run-for", 900);
      return spec;
    }
    if (wide) {
      spec.workers(2).gpus(List.of(2, 4, 8).get(chance.nextInt(3)));
      put(spec, "run-for", 120);
      return spec;
    }
    int kind = chance.nextInt(10);
    if (kind < 3) {
      spec.workers(2 + chance.nextInt(3));
      if (elastic(name)) {
        spec.minWorkers(1);
      } else if (!staggered(name)) {
        spec.repaired(2);
      }
    } else if (kind < 5) {
      int last = 1 + chance.nextInt(6);
      spec.array("0-" + last + (chance.nextBoolean() ? "%2" : ""));
    }
    int gpu = chance.nextInt(10);
    if (gpu < 7) {
      spec.gpus(1 + chance.nextInt(gpu < 5 ? 2 : 8));
    }
    if (gpu == 7) {
      spec.gpu(GpuRequest.fraction(250 * (1 + chance.nextInt(3))));
    }
    annotate(spec);
    if (kind < 3 && staggered(name)) {
      spec.annotation("sim.fairlead.dev/members", "worker-1");
      spec.annotation(FINISH_AFTER, "10s");
      put(spec, "run-for", 900);
    }
    if (durable.preempts()) {
      spec.priority(PriorityClass.values()[Math.floorMod(name.hashCode(), 3)]);
    }
    if (chance.nextInt(4) == 0) {
      spec.maxRuntime(Duration.ofSeconds(10 + chance.nextInt(600)));
    }
    if (Math.floorMod(name.hashCode(), 7) == 0) {
      spec.deadline(durable.stores().jobs().now().plusSeconds(60 + chance.nextInt(1800)));
    }
    spec.onUnreachable(WISHES.get(Math.floorMod(name.hashCode(), WISHES.size())));
    return spec;
  }

  private void annotate(Specs spec) {
    put(spec, "run-for", List.of(1, 20, 120, 900).get(chance.nextInt(4)));
    if (chance.nextInt(4) == 0) {
      put(spec, "start-after", List.of(5, 60, 400).get(chance.nextInt(3)));
    }
    if (chance.nextInt(4) == 0) {
      put(spec, "stop-after", List.of(5, 25, 60).get(chance.nextInt(3)));
    }
    if (chance.nextInt(3) == 0) {
      spec.annotation("sim.fairlead.dev/outcome", OUTCOMES.get(chance.nextInt(OUTCOMES.size())));
      if (chance.nextBoolean()) {
        spec.annotation("sim.fairlead.dev/attempts", "1");
      }
    }
  }

  private void put(Specs spec, String name, int seconds) {
    spec.annotation("sim.fairlead.dev/" + name, seconds + "s");
  }

  /** Names of accepted jobs. */
  public List<String> names() {
    return new ArrayList<>(accepted.keySet());
  }
}
