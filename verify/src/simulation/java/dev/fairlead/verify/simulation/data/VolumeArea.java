package dev.fairlead.verify.simulation.data;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.data.volume.Volumes;
import dev.fairlead.fleet.cluster.BreakerLimit;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Fault;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.workload.VolumeOrder;
import dev.fairlead.work.workload.VolumeOutcome;
import dev.fairlead.work.workload.simulation.ClaimBook;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Each cluster has a volume with data, and in a third of the seeds one cluster has many more.
 * Supervisors check the claims. For a while an API server does not list some volumes, or the volume
 * of transfers, as after a restore or a recreated namespace. The etcd of the cluster with many
 * volumes is restored without them, and later with most of them.
 */
public final class VolumeArea implements Area {
  private static final long LOST_AFTER = Duration.ofMinutes(5).toMillis();

  /** More than may be missing together. */
  private static final int MANY = BreakerLimit.FEWEST + 6;

  /** Fewer than the limit of simultaneously missing ones. */
  private static final int LAST = 6;

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final Project project;
  private final List<Claim> claims = new ArrayList<>();
  private final List<Claim> many = new ArrayList<>();

  /** A claim that exists, and the time since when its API server does not list it. */
  private static final class Claim {
    private final ClaimBook book;
    private final Volume volume;
    private @Nullable Long hiddenAt;
    private boolean wasLost;

    private Claim(ClaimBook book, Volume volume) {
      this.book = book;
      this.volume = volume;
    }
  }

  public VolumeArea(
      RandomGenerator chance, VirtualTime time, DurableState durable, Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    this.project = durable.world().project();
    durable
        .clusters()
        .forEach((id, cluster) -> claims.add(bound(id, cluster, "data-" + claims.size())));
    boolean wanted =
        missing.contains(Guard.CLAIMS_CONFIRMED) || missing.contains(Guard.BREAKER_STORED);
    if (wanted || missing.isEmpty() && chance.nextInt(3) == 0) {
      var first = durable.clusters().firstEntry();
      for (int number = 0; number < MANY; number++) {
        many.add(bound(first.getKey(), first.getValue(), "many-" + number));
      }
    }
  }

  private Claim bound(ClusterId id, SimulatedCluster cluster, String name) {
    return new Claim(cluster.claims(), bound(durable, id, cluster, name));
  }

  static Volume bound(DurableState durable, ClusterId id, SimulatedCluster cluster, String name) {
    MemoryStores stores = durable.stores();
    Project project = durable.world().project();
    Volume placed = Volumes.stored(stores, Volumes.kept(stores, project, name).placed(id));
    VolumeOutcome made =
        cluster.provide(new VolumeOrder(stores.leases().installation(), 1, project, placed));
    if (!(made instanceof VolumeOutcome.There there)) {
      throw new IllegalStateException(made.toString());
    }
    Instant now = stores.clock().instant();
    Volume provisioned = Volumes.stored(stores, placed.provisioned(there.uid(), now));
    return Volumes.stored(stores, provisioned.bound(now));
  }

  @Override
  public List<Loop> loops(Process process) {
    return List.of();
  }

  @Override
  public Set<Fault> faults() {
    return Set.of(Fault.CLAIM_HIDDEN, Fault.CLAIMS_FORGOTTEN);
  }

  @Override
  public Runnable strike(Fault fault) {
    if (fault == Fault.CLAIM_HIDDEN) {
      copied();
      return hidden(claims.get(chance.nextInt(claims.size())));
    }
    if (many.stream().anyMatch(claim -> claim.hiddenAt != null)) {
      return () -> {};
    }
    List<Runnable> repairs = many.stream().map(this::hidden).toList();
    noticed(repairs.subList(0, Math.max(0, many.size() - LAST)));
    return () -> repairs.forEach(Runnable::run);
  }

  /** The volume of transfers has a claim that can be hidden like the others. */
  private void copied() {
    for (Volume volume : stored()) {
      boolean known = claims.stream().anyMatch(claim -> claim.volume.id().equals(volume.id()));
      if (volume.name().equals(TransferRecord.NAME) && volume.claimed() && !known) {
        SimulatedCluster cluster =
            Objects.requireNonNull(
                durable.clusters().get(Objects.requireNonNull(volume.cluster())));
        claims.add(new Claim(cluster.claims(), volume));
      }
    }
  }

  private Runnable hidden(Claim claim) {
    String name = claim.volume.claimName();
    if (claim.hiddenAt != null || !claim.book.delete(project.namespace(), name)) {
      return () -> {};
    }
    long since = time.now();
    claim.hiddenAt = since;
    return () -> {
      if (Objects.equals(claim.hiddenAt, since)) {
        claim.book.restore(project.namespace(), name);
        claim.hiddenAt = null;
      }
    };
  }

  /** Most of the claims are restored once Fairlead has noticed that many are missing. */
  private void noticed(List<Runnable> repairs) {
    time.in(
        Duration.ofSeconds(10),
        "a later backup",
        () -> {
          if (many.stream().allMatch(claim -> claim.hiddenAt != null)) {
            if (stored().stream().anyMatch(VolumeArea::heldBack)) {
              repairs.forEach(Runnable::run);
            } else {
              noticed(repairs);
            }
          }
        });
  }

  private static boolean heldBack(Volume volume) {
    String message = volume.message();
    return message != null && message.contains("Many claims are missing");
  }

  /**
   * A volume is lost only after five minutes in which its claim was not shown, and none of many is
   * lost.
   */
  @Override
  public void check() {
    SortedSet<UUID> lost = lost();
    for (Claim claim : claims) {
      Long hiddenAt = claim.hiddenAt;
      boolean hidden = hiddenAt != null && time.now() - hiddenAt >= LOST_AFTER;
      boolean isLost = lost.contains(claim.volume.id());
      if (isLost && !claim.wasLost && !hidden) {
        throw broken(claim);
      }
      claim.wasLost = isLost;
    }
    if (!lost.isEmpty()) {
      many.stream()
          .filter(claim -> lost.contains(claim.volume.id()))
          .findFirst()
          .ifPresent(claim -> {
            throw broken(claim);
          });
    }
  }

  private static InvariantBroken broken(Claim claim) {
    return new InvariantBroken(
        Invariant.VOLUME_IS_NOT_LOST, claim.volume + " hidden at " + claim.hiddenAt);
  }

  private List<Volume> stored() {
    return durable.stores().volumes().all(project.tenant(), project.id());
  }

  private SortedSet<UUID> lost() {
    SortedSet<UUID> lost = new TreeSet<>();
    for (Volume volume : stored()) {
      if (volume.state() == VolumeState.LOST) {
        lost.add(volume.id());
      }
    }
    return lost;
  }

  private long made(Claim claim) {
    String name = project.namespace() + "/" + claim.volume.claimName();
    return claim.book.made().stream().filter(name::equals).count();
  }

  /**
   * A volume whose claim is shown is not lost, no second claim was made for it, and no circuit
   * breaker is open.
   */
  @Override
  public void end() {
    SortedSet<UUID> lost = lost();
    for (Claim claim : claims) {
      if (lost.contains(claim.volume.id()) || made(claim) != 1) {
        throw new InvariantBroken(
            Invariant.VOLUME_IS_NOT_LOST, claim.volume + ", claims " + claim.book.made());
      }
    }
    if (!durable.stores().volumes().breakers().isEmpty()) {
      throw new InvariantBroken(
          Invariant.VOLUME_IS_NOT_LOST, durable.stores().volumes().breakers().toString());
    }
  }
}
