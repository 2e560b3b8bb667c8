package dev.fairlead.verify.simulation.front;

import dev.fairlead.fleet.cluster.BreakerLimit;
import dev.fairlead.front.FrontNamespace;
import dev.fairlead.front.FrontStore;
import dev.fairlead.front.service.FrontProcess;
import dev.fairlead.front.service.spi.FrontUpkeep;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Fault;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.ProcessDied;
import dev.fairlead.verify.simulation.world.UnguardedStores;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.JobSubmitCommands;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * A front cluster with users that create and delete Jobs in namespaces of two projects and in one
 * without a project. Most Jobs request more than the fleet has, so many are adopted at any time and
 * cost the fleet little work.
 */
public final class FrontArea implements Area {
  private static final int MOST_JOBS = 40;
  private static final int FEW_JOBS = 6;

  /** More than the limit of the circuit breaker and the passes that have already started. */
  private static final int MANY = BreakerLimit.FEWEST + 8;

  private static final int TOO_LARGE = 64;
  private static final String NAMESPACE = "ns";

  /** Of a second project. */
  private static final String OTHER = "other";

  /** Without a project, so its Jobs are not adopted. */
  private static final String UNMAPPED = "unmapped";

  private static final int UNMAPPED_JOBS = 4;

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final Set<Guard> missing;
  private final ClusterId cluster;
  private final FrontServer server;
  private final FrontObjects objects;
  private final SortedSet<String> deleted = new TreeSet<>();

  /** Projects by mapped namespace. */
  private final SortedMap<String, ProjectId> projects = new TreeMap<>();

  /** Namespaces of the Jobs, by the part of the UID that is in the name of the job. */
  private final SortedMap<String, String> namespaces = new TreeMap<>();

  /** Deletions that a restored etcd has lost, or that found no Job. */
  private final SortedSet<String> undone = new TreeSet<>();

  private boolean restored;
  private boolean open = true;
  private boolean dirty = true;

  /**
   * @param others draws of the users of ModelServices
   */
  public FrontArea(
      RandomGenerator chance,
      RandomGenerator others,
      VirtualTime time,
      DurableState durable,
      Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    this.missing = missing;
    this.cluster = durable.clusters().firstKey();
    this.server = new FrontServer(missing.contains(Guard.OBJECT_DELETED));
    this.objects = new FrontObjects(others, time, durable, server, missing);
    MemoryStores stores = durable.stores();
    stores.database().listen(topic -> dirty = true);
    Project second = durable.world().newProject("second");
    stores.tenants().insert(second);
    map(NAMESPACE, durable.world().project());
    map(OTHER, second);
    int jobs = missing.isEmpty() && chance.nextBoolean() ? FEW_JOBS : MOST_JOBS;
    for (int i = 0; i < jobs; i++) {
      String uid = new UUID(chance.nextLong(), chance.nextLong()).toString();
      String name = (i % 8 == 0 ? "small-" : "large-") + i;
      String namespace = i % 3 == 1 ? OTHER : NAMESPACE;
      time.in(seconds(600), "user creates " + name, () -> create(uid, namespace, name));
    }
    for (int i = 0; i < UNMAPPED_JOBS; i++) {
      String uid = new UUID((i + 1L) << 32, 0).toString();
      time.in(
          Duration.ofMinutes(i + 1L),
          "user creates an unmapped Job",
          () -> server.create(uid, UNMAPPED, "large-unmapped", false));
      namespaces.put(inName(uid), UNMAPPED);
    }
    time.in(seconds(120), "backup of the front", server::backUp);
  }

  private Duration seconds(int most) {
    return Duration.ofSeconds(1L + chance.nextInt(most));
  }

  private void map(String namespace, Project project) {
    projects.put(namespace, project.id());
    durable
        .stores()
        .fronts()
        .put(
            new FrontNamespace(
                cluster,
                namespace,
                project.tenant(),
                project.id(),
                "ada",
                durable.stores().clock().instant()));
  }

  private static String inName(String uid) {
    return uid.substring(0, 8);
  }

  private void create(String uid, String namespace, String name) {
    if (!open) {
      return;
    }
    namespaces.put(inName(uid), namespace);
    server.create(uid, namespace, name, false);
    if (chance.nextInt(8) == 0) {
      time.in(
          seconds(60),
          "user deletes " + name,
          () -> {
            if (!server.has(uid)) {
              undone.add(uid);
            }
            deleted.add(uid);
            server.delete(uid);
          });
    }
  }

  @Override
  public List<Loop> loops(Process process) {
    return List.of();
  }

  @Override
  public Optional<FrontUpkeep> fronts(Process process) {
    MemoryStores stores = durable.stores();
    return Optional.of(
        new FrontProcess(
            cluster,
            server.session(process.life()),
            store(),
            jobs(),
            (actor, project, json) -> spec(json),
            killing(process),
            objects.of(process),
            stores,
            process.transactions()));
  }

  private static JobSpec spec(String name) {
    Specs spec = Specs.job("front");
    if (name.startsWith("large")) {
      spec.gpus(TOO_LARGE);
    } else {
      spec.gpus(1).annotation("sim.fairlead.dev/run-for", "60s");
    }
    return spec.build();
  }

  /**
   * Without the guards, each loss counts as confirmed by an operator, or every namespace is mapped
   * to the first project.
   */
  private FrontStore store() {
    FrontStore stored = durable.stores().fronts();
    boolean confirmed = missing.contains(Guard.CONFIRMED_LOSS);
    boolean mapped = missing.contains(Guard.NAMESPACE);
    if (!confirmed && !mapped) {
      return stored;
    }
    return UnguardedStores.of(
        FrontStore.class,
        (self, method, arguments) -> {
          if (confirmed && method.getName().equals("confirmed")) {
            return new TreeSet<>(stored.taken(cluster, "", MOST_JOBS));
          }
          return mapped && method.getName().equals("namespaces") && arguments != null
              ? everywhere(stored.namespaces(cluster))
              : method.invoke(stored, arguments);
        });
  }

  private List<FrontNamespace> everywhere(List<FrontNamespace> mapped) {
    FrontNamespace first = mapped.getFirst();
    return new TreeSet<>(namespaces.values())
        .stream()
            .map(name ->
                new FrontNamespace(
                    cluster, name, first.tenant(), first.project(), "ada", first.mappedAt()))
            .toList();
  }

  /** Without the guard, jobs are not found by name. */
  private JobStore jobs() {
    JobStore stored = durable.stores().jobs();
    if (!missing.contains(Guard.EARLIER_SUBMIT)) {
      return stored;
    }
    return UnguardedStores.of(
        JobStore.class,
        (self, method, arguments) ->
            method.getName().equals("named") ? List.of() : method.invoke(stored, arguments));
  }

  /** The process may end after a submit whose job no row names yet. */
  private JobSubmits killing(Process process) {
    JobSubmits submits = new JobSubmitCommands(process.commands(), process.control());
    return new JobSubmits() {
      @Override
      public void check(Actor actor, String project, JobSpec spec) {
        submits.check(actor, project, spec);
      }

      @Override
      public JobId submit(Actor actor, String project, JobSpec spec, String key) {
        JobId id = submits.submit(actor, project, spec, key);
        if (process.life().faults().strikes(Fault.KILLED_BETWEEN)) {
          process.life().end("a submit for a front");
          throw new ProcessDied("front");
        }
        return id;
      }

      @Override
      public Prepared prepared(Actor actor, String project, JobSpec spec) {
        return submits.prepared(actor, project, spec);
      }

      @Override
      public Optional<JobId> submitted(Actor actor, String key) {
        return submits.submitted(actor, key);
      }

      @Override
      public void cancel(Actor actor, JobId job) {
        submits.cancel(actor, job);
      }

      @Override
      public void suspend(Actor actor, JobId job, boolean back) {
        submits.suspend(actor, job, back);
      }
    };
  }

  @Override
  public Set<Fault> faults() {
    return Set.of(Fault.OTHER_SERVER, Fault.ETCD_RESTORED);
  }

  /** Occurs only if a front loses so many Jobs that none may be cancelled. */
  @Override
  public Runnable strike(Fault fault) {
    SortedSet<String> taken =
        new TreeSet<>(durable.stores().fronts().taken(cluster, "", MOST_JOBS));
    if (fault == Fault.OTHER_SERVER && taken.size() >= MANY) {
      time.say(() -> "another server answers for the front, " + taken.size() + " Jobs");
      server.replaced(true);
      return () -> server.replaced(false);
    }
    taken.retainAll(server.younger());
    if (fault == Fault.ETCD_RESTORED && !restored && taken.size() >= MANY) {
      time.say(() -> "the etcd of the front is restored without " + taken.size() + " Jobs");
      restored = true;
      undone.addAll(deleted);
      objects.restored();
      server.restore();
    }
    return () -> {};
  }

  @Override
  public void heal() {
    open = false;
    objects.heal();
  }

  /**
   * The job of a Job belongs to the project of its namespace. Only a Job that its user deleted
   * cancels its job.
   */
  @Override
  public void check() {
    objects.check();
    if (!dirty) {
      return;
    }
    dirty = false;
    for (Job job : durable.stores().jobs().all()) {
      if (!ofFront(job)) {
        continue;
      }
      ProjectId project = projects.get(namespaces.get(inName(job)));
      if (!job.project().equals(project)) {
        throw new InvariantBroken(Invariant.JOB_OF_ITS_NAMESPACE, job.name() + " of " + job.user());
      }
      boolean stops = job.state() == JobState.CANCELLING || job.state() == JobState.CANCELLED;
      if (stops && !byUser(job)) {
        throw new InvariantBroken(Invariant.FORGOTTEN_JOB_RUNS, job.name());
      }
    }
  }

  private static String inName(Job job) {
    return job.name().substring(job.name().lastIndexOf('-') + 1);
  }

  /** Returns whether its user is the namespace of a Job with the UID in its name. */
  private boolean ofFront(Job job) {
    String namespace = namespaces.get(inName(job));
    return namespace != null && OwnActor.isFront(job.user(), namespace);
  }

  private boolean byUser(Job job) {
    return deleted.stream().anyMatch(uid -> inName(job).equals(inName(uid)));
  }

  /** If a user deleted a Job, its Fairlead job ends, even while it waits for something. */
  @Override
  public void end() {
    objects.end();
    Map<String, Job> jobs = new HashMap<>();
    for (Job job : durable.stores().jobs().active()) {
      jobs.put(inName(job), job);
    }
    for (String uid : deleted) {
      Job job = jobs.get(inName(uid));
      if (job != null && !undone.contains(uid) && ofFront(job)) {
        throw new InvariantBroken(Invariant.DELETED_JOB_ENDS, job.name() + " " + job.state());
      }
    }
  }
}
