package dev.fairlead.verify.simulation.data;

import dev.fairlead.data.transfer.Transfer;
import dev.fairlead.data.transfer.TransferPhase;
import dev.fairlead.data.transfer.TransferPlan;
import dev.fairlead.data.transfer.service.TransferLoop;
import dev.fairlead.data.transfer.service.TransferSettings;
import dev.fairlead.data.transfer.service.Transfers;
import dev.fairlead.data.transfer.service.spi.TransferReports;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.people.secret.ProjectSecret;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.ProcessDied;
import dev.fairlead.verify.simulation.world.UnguardedStores;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Copies a volume through a bucket. The owner begins, resumes, cuts over and drops copies, and
 * cancels copiers, while other jobs write to the volume. {@link TransferRecord} knows the data that
 * each volume and the bucket have.
 */
public final class TransferArea implements Area {
  private static final TransferSettings SETTINGS =
      new TransferSettings("acme", "transfers", "http://s3:9000", "", true, "object-store", "py");

  private static final Duration SETTLE = Duration.ofMinutes(1);

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final Set<Guard> missing;
  private final Project project;
  private final TransferRecord record;
  private final List<Desk> desks = new ArrayList<>();
  private final boolean plays;
  private boolean open;
  private int copies;
  private int writers;

  /** The requests that one process serves. */
  private record Desk(Process process, Transfers transfers) {}

  public TransferArea(
      RandomGenerator chance, VirtualTime time, DurableState durable, Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    this.missing = missing;
    this.project = durable.world().project();
    boolean wanted =
        missing.contains(Guard.COPY_WRITERS)
            || missing.contains(Guard.EARLIER_COPIER)
            || missing.contains(Guard.COPIER_STORED);
    this.plays = wanted || missing.isEmpty() && chance.nextInt(3) == 0;
    this.open = plays;
    this.record = new TransferRecord(durable);
    if (plays) {
      durable.stores().secrets().insert(keys(), values());
      durable.unlimited(
          Stream.of(CapacityType.RESERVED, CapacityType.ON_DEMAND)
              .map(type -> new Flavor(Flavor.CPU, type))
              .toList());
      var first = durable.clusters().firstEntry();
      record.begins(
          VolumeArea.bound(durable, first.getKey(), first.getValue(), TransferRecord.NAME));
      record.follow();
      later("an owner of data", Duration.ofSeconds(40), this::own);
      later("a writer", Duration.ofMinutes(4), this::write);
    }
  }

  private ProjectSecret keys() {
    SortedMap<String, Integer> sizes = new TreeMap<>();
    TransferPlan.KEYS.forEach(key -> sizes.put(key, 3));
    ProjectSecret.Change made = new ProjectSecret.Change(Instant.EPOCH, "olga");
    return new ProjectSecret(
        durable.stores().ids().next(),
        project.tenant(),
        project.id(),
        "object-store",
        sizes,
        Instant.EPOCH,
        made,
        1);
  }

  private static SortedMap<String, Secret> values() {
    SortedMap<String, Secret> values = new TreeMap<>();
    TransferPlan.KEYS.forEach(key -> values.put(key, new Secret("key")));
    return values;
  }

  private void later(String who, Duration most, Runnable act) {
    time.in(
        time.between(Duration.ofSeconds(1), most),
        who,
        () -> {
          if (open) {
            act.run();
            later(who, most, act);
          }
        });
  }

  @Override
  public List<Loop> loops(Process process) {
    if (!plays) {
      return List.of();
    }
    MemoryStores stores = durable.stores();
    JobSubmits copiers = new Copiers(process, chance, () -> open, missing);
    desks.removeIf(desk -> !desk.process.life().alive());
    desks.add(
        new Desk(
            process,
            new Transfers(
                process.transactions(),
                stores.transfers(),
                volumes(),
                stores.tenants(),
                stores.inventory(),
                copiers,
                SETTINGS,
                stores.audit(),
                stores.ids(),
                stores.clock())));
    return List.of(loop(process, stores, volumes(), jobs(), copiers));
  }

  /** The loop of one process with these stores. */
  static Loop loop(
      Process process,
      MemoryStores stores,
      VolumeStore volumes,
      JobStore jobs,
      JobSubmits copiers) {
    return new TransferLoop(
        process.leases(),
        stores.transfers(),
        volumes,
        stores.tenants(),
        stores.inventory(),
        jobs,
        copiers,
        job -> TransferReports.Report.NONE,
        SETTINGS,
        process.transactions(),
        stores.clock(),
        new SimpleMeterRegistry());
  }

  /** Without the guard, jobs that wrote since the copy began are not found. */
  private VolumeStore volumes() {
    VolumeStore stored = durable.stores().volumes();
    return missing.contains(Guard.COPY_WRITERS)
        ? UnguardedStores.of(
            VolumeStore.class,
            (self, method, arguments) ->
                method.getName().equals("mounting") && arguments[1] != null
                    ? List.of()
                    : method.invoke(stored, arguments))
        : stored;
  }

  /** Without the guard, copiers of an earlier phase are not found. */
  private JobStore jobs() {
    JobStore stored = durable.stores().jobs();
    return missing.contains(Guard.EARLIER_COPIER)
        ? UnguardedStores.of(
            JobStore.class,
            (self, method, arguments) ->
                method.getName().equals("activeNamed")
                    ? List.of()
                    : method.invoke(stored, arguments))
        : stored;
  }

  /** The owner handles the newest transfer. */
  private void own() {
    List<Transfer> all = record.transfers();
    if (all.isEmpty() || all.stream().allMatch(Transfer::over)) {
      begin();
      return;
    }
    Transfer newest = all.stream().filter(each -> !each.over()).findFirst().orElseThrow();
    int drawn = chance.nextInt(12);
    switch (newest.phase()) {
      case READY -> ordered(drawn < 9 ? "cut over" : "drop", newest);
      case FAILED -> ordered(drawn < 6 ? "resume" : "drop", newest);
      case UPLOADING, DOWNLOADING, VERIFYING, CLEANING, DROPPING -> {
        if (drawn == 0 && newest.phase() != TransferPhase.DROPPING) {
          ordered("drop", newest);
        } else if (drawn == 1) {
          cancel(newest);
        }
      }
      case CUT_OVER, IMPORTED, DROPPED -> throw new IllegalStateException("over: " + newest);
    }
  }

  private void begin() {
    String to = "copy-" + copies++;
    List<Cluster> clusters =
        durable.clusters().keySet().stream()
            .flatMap(id -> durable.stores().inventory().cluster(id).stream())
            .toList();
    String where =
        chance.nextBoolean() ? null : clusters.get(chance.nextInt(clusters.size())).name();
    Transfers.Request wanted = new Transfers.Request(null, to, where, null, "");
    asked(
        "copy to " + to,
        desk -> desk.transfers.begin(owner(), project.name(), TransferRecord.NAME, wanted, false));
  }

  private void ordered(String what, Transfer transfer) {
    String volume = transfer.target().name();
    asked(
        what + " " + transfer.id().text(),
        desk -> {
          Transfers transfers = desk.transfers;
          switch (what) {
            case "cut over" ->
                transfers.cutOver(owner(), project.name(), volume, transfer.id(), false);
            case "resume" ->
                transfers.resume(owner(), project.name(), volume, transfer.id(), false);
            default -> transfers.drop(owner(), project.name(), volume, transfer.id(), !open, false);
          }
        });
  }

  private void cancel(Transfer transfer) {
    Optional.ofNullable(transfer.job())
        .ifPresent(
            job -> asked("cancel a copier", desk -> desk.process.commands().cancel(owner(), job)));
  }

  private void write() {
    String name = "writer-" + writers++;
    Specs spec =
        Specs.job(name)
            .volume(TransferRecord.NAME)
            .annotation("sim.fairlead.dev/run-for", 1 + chance.nextInt(30) + "s");
    NewJob wanted = new NewJob(spec.build());
    RequestKey key = new RequestKey(name, name);
    asked(
        "submit " + name,
        desk -> {
          Job _ = desk.process.commands().submit(owner(), project.name(), wanted, key, false).job();
        });
  }

  private Actor owner() {
    return new Actor(project.tenant(), "olga", Role.TENANT_OWNER);
  }

  /** A request to any process. The owner reads the result later and does not repeat it. */
  private void asked(String what, Consumer<Desk> request) {
    List<Desk> up = desks.stream().filter(desk -> desk.process.life().responds()).toList();
    if (up.isEmpty()) {
      return;
    }
    try {
      request.accept(up.get(chance.nextInt(up.size())));
    } catch (Refusal refused) {
      time.say(() -> what + " refused: " + refused.getMessage());
    } catch (ProcessDied | RuntimeException unanswered) {
      time.say(() -> what + " unanswered: " + unanswered);
    }
  }

  @Override
  public void heal() {
    open = false;
    if (plays) {
      settle();
    }
  }

  /** Without faults, the owner resumes each transfer, and cuts it over or drops it. */
  private void settle() {
    List<Transfer> left = record.transfers().stream().filter(each -> !each.over()).toList();
    for (Transfer each : left) {
      if (!each.phase().works()) {
        ordered(each.phase() == TransferPhase.READY ? "cut over" : "resume", each);
      }
    }
    record.transfers().stream()
        .filter(each ->
            left.stream()
                .anyMatch(old -> old.id().equals(each.id()) && old.phase() == each.phase()))
        .filter(each -> !each.phase().works())
        .forEach(each -> ordered("drop", each));
    if (!left.isEmpty()) {
      time.in(SETTLE, "an owner of data", this::settle);
    }
  }

  @Override
  public void check() {
    record.check();
  }

  @Override
  public void end() {
    record.end();
  }
}
