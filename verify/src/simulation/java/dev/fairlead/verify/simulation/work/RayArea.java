package dev.fairlead.verify.simulation.work;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.ProcessDied;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.JobSubmitCommands;
import dev.fairlead.work.job.service.spi.JobReader;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.raypool.service.RayPoolLoop;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.warmpool.WarmPool;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Users submit drivers to a Ray pool and cancel some of them. Some drivers find no capacity for
 * their pod, and the last submit overlaps the deletion of the pool. An owner changes its number of
 * clusters. A user also cancels Ray clusters under their drivers.
 */
public final class RayArea implements Area {
  private static final String POOL = "rays";
  private static final int MOST_CLUSTERS = 3;
  private static final int MOST_DRIVERS = 3;
  private static final long UNPLACEABLE = 900_000_000;

  /** Longest time of a driver without its cluster in the absence of faults. */
  private static final Duration ASTRAY = Duration.ofMinutes(10);

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final boolean plays;
  private final List<Process> processes = new ArrayList<>();
  private final List<JobId> drivers = new ArrayList<>();

  /** Time since which a running driver has had a cluster that does not run. */
  private final Map<JobId, Instant> astray = new TreeMap<>();

  private boolean open;
  private boolean healed;
  private int submitted;

  public RayArea(RandomGenerator chance, VirtualTime time, DurableState durable, boolean whole) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    this.plays = whole && chance.nextInt(4) == 0;
    this.open = plays;
    if (plays) {
      change();
      submit();
      endACluster();
    }
  }

  private Project project() {
    return durable.world().project();
  }

  private WarmPool pool(int clusters, boolean deleting) {
    WarmPool.Sharing sharing =
        new WarmPool.Sharing(
            chance.nextInt(clusters + 1),
            MOST_DRIVERS,
            time.between(Duration.ofMinutes(1), Duration.ofMinutes(5)));
    return new WarmPool(POOL, project().name(), clusters, sharing, "{}", deleting);
  }

  private void change() {
    WarmArea.put(durable, pool(1 + chance.nextInt(MOST_CLUSTERS), false));
    again(Duration.ofMinutes(1), Duration.ofMinutes(9), "an owner of the Ray pool", this::change);
  }

  private void again(Duration least, Duration most, String what, Runnable next) {
    time.in(
        time.between(least, most),
        what,
        () -> {
          if (open) {
            next.run();
          }
        });
  }

  private void submit() {
    send();
    again(Duration.ofSeconds(5), Duration.ofMinutes(2), "a user of the Ray pool", this::submit);
  }

  /** Some drivers get a place in a cluster that they cannot use. */
  private void send() {
    JobSpec spec =
        Specs.job("driver-" + submitted++)
            .run("python x.py")
            .cpuMilli(chance.nextInt(10) == 0 ? UNPLACEABLE : 1_000)
            .annotation("sim.fairlead.dev/run-for", (30 + chance.nextInt(600)) + "s")
            .build();
    Actor user = new Actor(project().tenant(), "user-of-rays", Role.TENANT_MEMBER);
    asked(process -> {
      Job job =
          process
              .commands()
              .submit(
                  user, project().name(), new NewJob(RayPoolJob.driver(spec, POOL)), null, false)
              .job();
      drivers.add(job.id());
      if (chance.nextInt(4) == 0) {
        cancelLater(user, job.id());
      }
    });
  }

  private void cancelLater(Actor user, JobId job) {
    again(
        Duration.ofSeconds(5),
        Duration.ofMinutes(8),
        "the end of a driver",
        () ->
            asked(process -> {
              Job _ = process.commands().cancel(user, job);
            }));
  }

  /** Drivers lose their cluster and get another cluster. */
  private void endACluster() {
    again(
        Duration.ofMinutes(3),
        Duration.ofMinutes(20),
        "the end of a Ray cluster",
        () -> {
          Actor user = new Actor(project().tenant(), "user-of-rays", Role.TENANT_MEMBER);
          clusters().values().stream()
              .findFirst()
              .ifPresent(cluster ->
                  asked(process -> {
                    Job _ = process.commands().cancel(user, cluster.id());
                  }));
          endACluster();
        });
  }

  private interface Request {
    void to(Process process);
  }

  /** A request to any process, without a repetition. */
  private void asked(Request request) {
    List<Process> up = processes.stream().filter(each -> each.life().responds()).toList();
    if (up.isEmpty()) {
      return;
    }
    try {
      request.to(up.get(chance.nextInt(up.size())));
    } catch (Refusal | ProcessDied refused) {
      time.say(() -> "a request to the Ray pool failed: " + refused);
    } catch (RuntimeException unanswered) {
      time.say(() -> "a request to the Ray pool is unanswered: " + unanswered);
    }
  }

  @Override
  public List<Loop> loops(Process process) {
    if (!plays) {
      return List.of();
    }
    MemoryStores stores = durable.stores();
    processes.removeIf(each -> !each.life().alive());
    processes.add(process);
    return List.of(
        new RayPoolLoop(
            process.leases(),
            stores.configs(),
            stores.tenants(),
            stores.jobs(),
            new JobWriter(stores.jobs(), stores.explanations(), transition -> {}),
            new JobSubmitCommands(process.commands(), process.control()),
            new Bodies(),
            process.transactions()));
  }

  /** The Ray cluster of the pool, instead of its JSON. */
  private static final class Bodies implements JobReader {
    @Override
    public JobSpec read(Actor actor, String project, String json) {
      return Specs.job("").workers(2).launcher("ray").run("sleep infinity").build();
    }

    @Override
    public Map<String, Object> shown(String json) {
      return Map.of();
    }
  }

  private Map<String, Job> clusters() {
    Map<String, Job> found = new TreeMap<>();
    List<String> names =
        IntStream.rangeClosed(1, MOST_CLUSTERS)
            .mapToObj(number -> WarmPool.clusterName(POOL, number))
            .toList();
    durable.stores().jobs().activeNamed(project().tenant(), project().id(), names).stream()
        .flatMap(named -> durable.stores().jobs().findAll(List.of(named.id())).stream())
        .forEach(job -> found.put(job.name(), job));
    return found;
  }

  private @Nullable WarmPool current() {
    return durable.stores().configs().all(WarmPool.DOCUMENTS).stream()
        .map(ConfigDocument::value)
        .filter(pool -> pool.name().equals(POOL))
        .findFirst()
        .orElse(null);
  }

  @Override
  public void check() {
    if (!plays || current() == null) {
      return;
    }
    Map<String, Integer> inside = new TreeMap<>();
    Map<String, Job> clusters = clusters();
    for (Job driver : durable.stores().jobs().findAll(drivers)) {
      String cluster = RayPoolJob.cluster(driver.spec());
      if (driver.state() == JobState.RUNNING && cluster == null) {
        throw new InvariantBroken(
            Invariant.RAY_CLUSTER_HAS_ROOM, driver.name() + " runs without one");
      }
      if (cluster != null && active(driver)) {
        inside.merge(String.valueOf(RayPoolJob.address(driver.spec())), 1, Integer::sum);
        lasts(driver, clusters.get(cluster));
      } else {
        Instant _ = astray.remove(driver.id());
      }
    }
    inside.forEach((cluster, number) -> {
      if (number > MOST_DRIVERS) {
        throw new InvariantBroken(Invariant.RAY_CLUSTER_HAS_ROOM, cluster + " has " + number);
      }
    });
  }

  private static boolean active(Job driver) {
    return driver.state() == JobState.STARTING || driver.state() == JobState.RUNNING;
  }

  private void lasts(Job driver, @Nullable Job cluster) {
    if (cluster != null && cluster.state() == JobState.RUNNING) {
      Instant _ = astray.remove(driver.id());
      return;
    }
    Instant now = durable.stores().jobs().now();
    Instant since = astray.computeIfAbsent(driver.id(), id -> now);
    if (healed && now.isAfter(since.plus(ASTRAY))) {
      throw new InvariantBroken(
          Invariant.RAY_DRIVER_HAS_CLUSTER, driver.name() + " has none since " + since);
    }
  }

  /** Users cancel their drivers, and the pool ends after the last one. */
  @Override
  public void heal() {
    open = false;
    healed = true;
    if (plays) {
      astray.clear();
      close();
    }
  }

  private void close() {
    Actor user = new Actor(project().tenant(), "user-of-rays", Role.TENANT_MEMBER);
    List<Job> left =
        durable.stores().jobs().findAll(drivers).stream()
            .filter(job -> !job.run().ended())
            .toList();
    if (left.isEmpty()) {
      WarmArea.put(durable, pool(0, true));
      send(); // a submit that began before the deletion
      return;
    }
    left.stream()
        .filter(job -> job.state() != JobState.CANCELLING)
        .forEach(job ->
            asked(process -> {
              Job _ = process.commands().cancel(user, job.id());
            }));
    time.in(Duration.ofMinutes(1), "an owner of the Ray pool", this::close);
  }

  @Override
  public void end() {
    if (plays && current() != null) {
      throw new InvariantBroken(
          Invariant.NOTHING_IS_LEFT, "the Ray pool, by " + OwnActor.WARM_POOLS.text());
    }
  }
}
