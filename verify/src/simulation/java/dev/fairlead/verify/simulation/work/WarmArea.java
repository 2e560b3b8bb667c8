package dev.fairlead.verify.simulation.work;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.ProcessDied;
import dev.fairlead.verify.simulation.world.UnguardedStores;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.JobSubmitCommands;
import dev.fairlead.work.job.service.spi.JobReader;
import dev.fairlead.work.job.service.spi.WarmMembers;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.job.store.NamedJob;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.WarmMember;
import dev.fairlead.work.warmpool.WarmPool;
import dev.fairlead.work.warmpool.service.WarmPoolLoop;
import dev.fairlead.work.warmpool.service.WarmTakes;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Users submit sessions to a project with a warm pool of changing size, and cancel them some
 * minutes later. An unanswered request is repeated with its key.
 */
public final class WarmArea implements Area {
  private static final String POOL = "warm";
  private static final int MOST_MEMBERS = 3;

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final Set<Guard> missing;
  private final boolean plays;
  private final List<Process> processes = new ArrayList<>();

  /** The last row of each job as a member of the pool. */
  private final Map<JobId, Job> members = new TreeMap<>();

  /** User and name of each job that was a member. */
  private final Map<JobId, String> owners = new TreeMap<>();

  private final Set<JobId> cancelled = new HashSet<>();
  private int sessions;
  private boolean open;
  private @Nullable InvariantBroken broken;

  public WarmArea(
      RandomGenerator chance, VirtualTime time, DurableState durable, Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    this.missing = missing;
    this.plays =
        missing.stream().anyMatch(Guard::ofWarmPools)
            || missing.isEmpty() && chance.nextInt(4) == 0;
    this.open = plays;
    if (plays) {
      resize();
      submitted();
    }
  }

  private static Specs session(String name) {
    return Specs.job(name).gpus(1).launcher("jupyter").run("jupyter lab");
  }

  private Project project() {
    return durable.world().project();
  }

  /** Changes the number of members now and then. */
  private void resize() {
    put(
        durable,
        new WarmPool(POOL, project().name(), chance.nextInt(MOST_MEMBERS + 1), "{}", false));
    time.in(
        time.between(Duration.ofSeconds(20), Duration.ofMinutes(4)),
        "an owner of the warm pool",
        () -> {
          if (open) {
            resize();
          }
        });
  }

  static void put(DurableState durable, WarmPool pool) {
    Project project = durable.world().project();
    String key = WarmPool.document(project.id(), pool.name());
    ConfigDocument<WarmPool> document =
        durable
            .stores()
            .configs()
            .find(WarmPool.DOCUMENTS, project.tenant(), key)
            .map(old -> old.with(pool))
            .orElseGet(() ->
                new ConfigDocument<>(
                    WarmPool.DOCUMENTS, key, project.tenant(), project.id(), pool, 0));
    ConfigDocument<WarmPool> _ = durable.stores().configs().put(document);
  }

  private void submitted() {
    time.in(
        time.between(Duration.ofSeconds(1), Duration.ofSeconds(90)),
        "a user of sessions",
        () -> {
          if (open) {
            String name = "session-" + sessions++;
            submit(new Actor(project().tenant(), "user-of-" + name, Role.TENANT_MEMBER), name);
            submitted();
          }
        });
  }

  private void submit(Actor user, String name) {
    asked(
        name,
        process -> {
          Job job =
              process
                  .commands()
                  .submit(
                      user,
                      project().name(),
                      new NewJob(session(name).build()),
                      new RequestKey(name, name),
                      false)
                  .job();
          if (!job.name().equals(name) || !job.user().equals(user.name())) {
            breaks(Invariant.SESSION_HAS_ONE_USER, name + " got " + job.name());
          }
          cancel(user, job.id());
        });
  }

  private void cancel(Actor user, JobId job) {
    time.in(
        time.between(Duration.ofSeconds(10), Duration.ofMinutes(6)),
        "the end of a session",
        () ->
            asked(
                "cancel " + job.text(),
                process -> {
                  cancelled.add(job);
                  Job _ = process.commands().cancel(user, job);
                }));
  }

  /** A request to any process, repeated until it is answered. */
  private void asked(String what, Consumer<Process> request) {
    List<Process> up = processes.stream().filter(each -> each.life().responds()).toList();
    try {
      if (!up.isEmpty()) {
        request.accept(up.get(chance.nextInt(up.size())));
        return;
      }
    } catch (Refusal refused) {
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

  @Override
  public Optional<WarmMembers> warmMembers() {
    MemoryStores stores = durable.stores();
    return plays
        ? Optional.of(
            new WarmTakes(
                stores.configs(),
                jobs(Guard.WARM_TAKEN),
                stores.quotas(),
                stores.budgets(),
                new SimpleMeterRegistry()))
        : Optional.empty();
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
        new WarmPoolLoop(
            process.leases(),
            stores.configs(),
            stores.tenants(),
            jobs(Guard.WARM_CANCELLED),
            new JobWriter(stores.jobs(), stores.explanations(), transition -> {}),
            new JobSubmitCommands(process.commands(), process.control()),
            new Bodies(),
            process.transactions()));
  }

  /** The session of the pool, instead of its JSON. */
  private static final class Bodies implements JobReader {
    @Override
    public JobSpec read(Actor actor, String project, String json) {
      return session("").build();
    }

    @Override
    public Map<String, Object> shown(String json) {
      return Map.of();
    }
  }

  /** Without the guard, members appear in their state before a user took them. */
  private JobStore jobs(Guard guard) {
    JobStore stored = durable.stores().jobs();
    if (!missing.contains(guard)) {
      return stored;
    }
    return UnguardedStores.of(
        JobStore.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "activeNamed" -> {
                List<NamedJob> all =
                    new ArrayList<>(
                        stored.activeNamed(
                            project().tenant(), project().id(), names(arguments[2])));
                members.values().stream()
                    .filter(job -> !current(stored, job).run().ended())
                    .forEach(job -> all.add(new NamedJob(job.id(), job.name(), true)));
                yield all.stream().distinct().toList();
              }
              case "find" ->
                  stored
                      .find(project().tenant(), (JobId) arguments[1])
                      .map(job -> before(job, guard));
              case "findAll" ->
                  stored.findAll(ids(arguments[0])).stream()
                      .map(job -> before(job, guard))
                      .toList();
              case "lock" ->
                  stored.lock(ids(arguments[0])).stream().map(job -> before(job, guard)).toList();
              default -> UnguardedStores.invoke(stored, method, arguments);
            });
  }

  private static List<String> names(Object given) {
    return ((Collection<?>) given).stream().map(String.class::cast).toList();
  }

  private static List<JobId> ids(Object given) {
    return ((Collection<?>) given).stream().map(JobId.class::cast).toList();
  }

  private static Job current(JobStore stored, Job job) {
    return stored.findAll(List.of(job.id())).stream().findFirst().orElse(job);
  }

  private Job before(Job job, Guard guard) {
    Job member = members.get(job.id());
    return member == null || job.run().ended() || !missing.contains(guard)
        ? job
        : member.withVersion(job.version());
  }

  private void breaks(Invariant invariant, String what) {
    broken = Objects.requireNonNullElseGet(broken, () -> new InvariantBroken(invariant, what));
  }

  @Override
  public void check() {
    if (!plays) {
      return;
    }
    MemoryStores stores = durable.stores();
    List<String> names = new WarmPool(POOL, "", MOST_MEMBERS, "{}", false).memberNames();
    for (NamedJob named : stores.jobs().activeNamed(project().tenant(), project().id(), names)) {
      members.computeIfAbsent(named.id(), id -> stores.jobs().findAll(List.of(id)).getFirst());
    }
    for (Job job : stores.jobs().findAll(members.keySet())) {
      String owner = owners.get(job.id());
      if (owner != null) {
        continues(job, owner);
      }
      if (WarmMember.is(job.spec())) {
        members.put(job.id(), job);
        if (owner != null) {
          breaks(Invariant.SESSION_HAS_ONE_USER, owner + " lost it to the pool");
        }
      } else {
        taken(job);
        counted(job);
      }
    }
    if (broken != null) {
      throw broken;
    }
  }

  private void taken(Job job) {
    String owner = job.user() + " " + job.name();
    String first = owners.putIfAbsent(job.id(), owner);
    if (first != null && !first.equals(owner)) {
      breaks(Invariant.SESSION_HAS_ONE_USER, first + " lost it to " + owner);
    }
  }

  /** The attempt that the user has taken has use of the pool before, and of the user now. */
  private void counted(Job job) {
    MemoryStores stores = durable.stores();
    for (Attempt attempt : stores.jobs().liveAttempts(job.id())) {
      List<String> users =
          stores.transactions().read(() -> stores.uses().users(attempt.id().value()));
      if (!users.getLast().equals(job.user())) {
        breaks(Invariant.USE_HAS_ITS_USER, job.name() + " counts for " + users);
      }
    }
  }

  private void continues(Job job, String owner) {
    boolean ends = job.state() == JobState.CANCELLING || job.state() == JobState.CANCELLED;
    if (ends && !cancelled.contains(job.id())) {
      breaks(
          Invariant.SESSION_OUTLIVES_POOL,
          owner + " was cancelled by " + OwnActor.WARM_POOLS.text());
    }
  }

  /** The pool ends, and users end their sessions. */
  @Override
  public void heal() {
    open = false;
    if (plays) {
      put(durable, new WarmPool(POOL, project().name(), 0, "{}", true));
    }
  }

  @Override
  public void end() {
    if (!durable.stores().configs().all(WarmPool.DOCUMENTS).isEmpty()) {
      throw new InvariantBroken(Invariant.NOTHING_IS_LEFT, "the warm pool");
    }
  }
}
