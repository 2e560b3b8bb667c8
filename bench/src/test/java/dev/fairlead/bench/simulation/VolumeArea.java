package dev.fairlead.bench.simulation;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.data.volume.Volumes;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.people.tenant.Project;
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
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A volume with data on each cluster. Supervisors look at the claims; an API server does not show
 * some of them for a while, as one does that is restored or whose namespace is made again.
 */
final class VolumeArea implements Area {
  private static final long LOST_AFTER = Duration.ofMinutes(5).toMillis();

  private final RandomGenerator chance;
  private final Timetable time;
  private final Habitat habitat;
  private final Project project;
  private final List<Claim> claims = new ArrayList<>();

  /** A claim that exists, and since when its API server does not show it. */
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

  VolumeArea(RandomGenerator chance, Timetable time, Habitat habitat) {
    this.chance = chance;
    this.time = time;
    this.habitat = habitat;
    this.project = habitat.world().project();
    habitat.clusters().forEach((id, cluster) -> claims.add(bound(id, cluster)));
  }

  private Claim bound(ClusterId id, SimulatedCluster cluster) {
    return new Claim(cluster.claims(), bound(habitat, id, cluster, "data-" + claims.size()));
  }

  /** A new volume that is bound on the cluster. */
  static Volume bound(Habitat habitat, ClusterId id, SimulatedCluster cluster, String name) {
    MemoryStores stores = habitat.stores();
    Project project = habitat.world().project();
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
    return Set.of(Fault.CLAIM_HIDDEN);
  }

  @Override
  public Runnable strike(Fault fault) {
    Claim claim = claims.get(chance.nextInt(claims.size()));
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

  /** A volume is lost only after five minutes in which its claim was not shown. */
  @Override
  public void check() {
    for (Claim claim : claims) {
      Long hiddenAt = claim.hiddenAt;
      boolean hidden = hiddenAt != null && time.now() - hiddenAt >= LOST_AFTER;
      boolean lost = lost(claim);
      if (lost && !claim.wasLost && !hidden) {
        throw new Broken(Invariant.VOLUME_IS_NOT_LOST, stored(claim).toString());
      }
      claim.wasLost = lost;
    }
  }

  private Volume stored(Claim claim) {
    Volume volume = claim.volume;
    return habitat
        .stores()
        .volumes()
        .find(volume.tenant(), volume.project(), volume.name())
        .orElseThrow();
  }

  private boolean lost(Claim claim) {
    return stored(claim).state() == VolumeState.LOST;
  }

  private long made(Claim claim) {
    String name = project.namespace() + "/" + claim.volume.claimName();
    return claim.book.made().stream().filter(name::equals).count();
  }

  /** A volume whose claim is shown is not lost, and no second claim was made for it. */
  @Override
  public void end() {
    for (Claim claim : claims) {
      if (lost(claim) || made(claim) != 1) {
        throw new Broken(
            Invariant.VOLUME_IS_NOT_LOST, stored(claim) + ", claims " + claim.book.made());
      }
    }
  }
}
