package dev.fairlead.verify.simulation.data;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.LeaseRow;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.verify.simulation.work.Replica;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Fault;
import dev.fairlead.verify.simulation.world.FaultRates;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.ProcessLife;
import dev.fairlead.verify.simulation.world.UnguardedStores;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.job.service.JobSubmitCommands;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A copy of the database with a separate process, next to the original and on the same clusters, in
 * a third of the seeds. Its jobs, volumes and transfers are those of a backup. It begins once the
 * original has written a later watermark to each cluster, which takes an active original seconds.
 */
public final class DatabaseCopyArea implements Area {
  private static final Duration LOOK = Duration.ofSeconds(5);

  private static final LeaseTimes TIMES =
      new LeaseTimes(Duration.ofSeconds(9), Duration.ofSeconds(3), Duration.ofSeconds(6));

  /** Watermarks that the original has issued since the copy when each cluster knows a later one. */
  private static final long LATER = 2;

  private static final Set<String> ORDERS =
      Set.of(
          "apply",
          "provide",
          "keepOut",
          "setLabelsAndTaints",
          "plan",
          "remove",
          "supply",
          "newToken");

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final FaultRates faults;
  private final Set<Guard> missing;
  private final boolean plays;
  private @Nullable Copy copy;
  private int copies;

  /** One copy, and its process while it has one. */
  private static final class Copy {
    private final DurableState durable;
    private final ProcessLife life;
    private final long lost;
    private boolean begun;

    private Copy(DurableState durable, ProcessLife life) {
      this.durable = durable;
      this.life = life;
      this.lost = lost();
    }

    private long lost() {
      return durable.clusters().keySet().stream()
          .flatMap(id -> durable.stores().volumes().lost(id).stream())
          .count();
    }
  }

  public DatabaseCopyArea(
      RandomGenerator chance,
      VirtualTime time,
      DurableState durable,
      FaultRates faults,
      Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    this.faults = faults;
    this.missing = missing;
    this.plays =
        missing.contains(Guard.LATER_WATERMARK) || missing.isEmpty() && chance.nextInt(3) == 0;
  }

  @Override
  public Set<Fault> faults() {
    return Set.of(Fault.DATABASE_COPY);
  }

  @Override
  public Runnable strike(Fault fault) {
    if (!plays || copy != null) {
      return () -> {};
    }
    String name = "copy-" + copies++;
    Copy made =
        new Copy(
            new DurableState(durable, chance.nextLong(), this::watched),
            new ProcessLife(name, time, faults, new int[] {Integer.MAX_VALUE}));
    copy = made;
    begin(made);
    return () -> {
      made.life.end("an operator's command");
      if (made.equals(copy)) {
        copy = null;
      }
    };
  }

  /**
   * Any order of the copy breaks the invariant. Without the guard, later watermarks are ignored.
   */
  private ClusterGateway watched(ClusterGateway real) {
    return UnguardedStores.of(
        ClusterGateway.class,
        (self, method, arguments) -> {
          String call = method.getName();
          if (ORDERS.contains(call)) {
            time.fail(new InvariantBroken(Invariant.COPY_SENDS_NO_ORDER, call));
          }
          return call.equals("claim") && missing.contains(Guard.LATER_WATERMARK)
              ? EpochClaim.OURS
              : method.invoke(real, arguments);
        });
  }

  private void begin(Copy made) {
    time.in(
        LOOK,
        "the copy of the database",
        () -> {
          if (made.life.alive() && !made.begun) {
            if (durable.clusters().keySet().stream().allMatch(id -> later(made, id))) {
              start(made);
            } else {
              begin(made);
            }
          }
        });
  }

  private boolean later(Copy made, ClusterId cluster) {
    String lease = "cluster/" + cluster.bare();
    long copied = made.durable.stores().leases().read(lease).map(LeaseRow::watermark).orElse(-1L);
    return copied >= 0
        && durable.stores().leases().read(lease).map(LeaseRow::watermark).orElse(-1L)
            >= copied + LATER;
  }

  private void start(Copy made) {
    made.begun = true;
    MemoryStores stores = made.durable.stores();
    Replica replica =
        new Replica(
            made.life,
            time,
            made.durable,
            TIMES,
            WorkloadTimeouts.DEFAULT,
            List.of(new Transferring(stores)),
            Set.of());
    stores.database().listen(replica::stir);
    replica.start();
  }

  /** Continues the transfers of the copy. */
  private record Transferring(MemoryStores stores) implements Area {
    @Override
    public List<Loop> loops(Process process) {
      return List.of(
          TransferArea.loop(
              process,
              stores,
              stores.volumes(),
              stores.jobs(),
              new JobSubmitCommands(process.commands(), process.control())));
    }

    @Override
    public void check() {}
  }

  @Override
  public void check() {
    Copy made = copy;
    if (made != null) {
      made.durable.follow();
      if (made.begun && made.lost() > made.lost) {
        throw new InvariantBroken(Invariant.COPY_SENDS_NO_ORDER, "a volume of the copy is lost");
      }
    }
  }
}
