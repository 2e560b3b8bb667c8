package dev.fairlead.work.workload.simulation;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.VolumeOrder;
import dev.fairlead.work.workload.VolumeOutcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The claims of volumes on a simulated cluster, which binds each immediately unless binding is
 * switched off.
 */
public final class ClaimBook {
  private final Identities identities;
  private final SortedMap<String, Claim> claims = new TreeMap<>();
  private final SortedMap<String, Claim> deleted = new TreeMap<>();
  private final List<String> made = new ArrayList<>();
  private boolean binds = true;
  private SortedMap<String, String> nodeLabels = Collections.emptySortedMap();
  private @Nullable String refusal;

  private record Claim(
      String uid, UUID volume, boolean bound, SortedMap<String, String> nodeLabels) {}

  ClaimBook(Identities identities) {
    this.identities = identities;
  }

  synchronized VolumeOutcome provide(VolumeOrder order, ControlPlane fence) {
    Volume volume = order.volume();
    String name = name(order.project().namespace(), volume.claimName());
    Claim there = claims.get(name);
    if (there != null && there.uid().equals(volume.claimUid())) {
      return seen(there);
    }
    Long deposed = fence.deposes(order.epoch());
    if (deposed != null) {
      return new VolumeOutcome.Not(new ActionOutcome.Deposed(deposed));
    }
    if (volume.claimUid() == null) {
      return there == null ? make(name, volume) : taken(name, volume, there);
    }
    if (there == null) {
      return new VolumeOutcome.Lost(
          "claim " + name + " no longer exists, and Fairlead did not delete it");
    }
    return new VolumeOutcome.Lost(
        "claim " + name + " is not the claim that Fairlead created, and has other data");
  }

  private VolumeOutcome make(String name, Volume volume) {
    String why = refusal;
    if (why != null) {
      return new VolumeOutcome.Not(new ActionOutcome.Refused(ActionOutcome.Why.DENIED, why));
    }
    Claim claim = new Claim(identities.next(), volume.id(), binds, nodeLabels);
    claims.put(name, claim);
    made.add(name);
    return seen(claim);
  }

  private static VolumeOutcome taken(String name, Volume volume, Claim there) {
    return there.volume().equals(volume.id())
        ? seen(there)
        : new VolumeOutcome.Not(
            new ActionOutcome.Refused(
                ActionOutcome.Why.NAME_TAKEN,
                "claim " + name + " exists but was not created by Fairlead. Nothing was changed"));
  }

  private static VolumeOutcome seen(Claim claim) {
    return new VolumeOutcome.There(
        claim.uid(),
        claim.bound(),
        claim.bound() ? claim.nodeLabels() : Collections.emptySortedMap(),
        claim.bound() ? null : "not bound yet");
  }

  private static String name(String namespace, String claim) {
    return namespace + "/" + claim;
  }

  /** Switches the binding of new claims. With {@code true} all waiting claims are bound. */
  public synchronized void binds(boolean now) {
    binds = now;
    if (now) {
      claims.replaceAll(
          (name, claim) -> new Claim(claim.uid(), claim.volume(), true, claim.nodeLabels()));
    }
  }

  /** Places the disks of new claims where only nodes with these labels reach them. */
  public synchronized void reachedWith(SortedMap<String, String> labels) {
    nodeLabels = labels;
  }

  /** Refuses new claims with this message. Null to accept them again. */
  public synchronized void refuses(@Nullable String why) {
    refusal = why;
  }

  /** Deletes the claim from outside Fairlead. Returns false when it does not exist. */
  public synchronized boolean delete(String namespace, String claim) {
    Claim gone = claims.remove(name(namespace, claim));
    if (gone != null) {
      deleted.put(name(namespace, claim), gone);
    }
    return gone != null;
  }

  /** Restores the claim that was deleted last under this name, with the same identity. */
  public synchronized void restore(String namespace, String claim) {
    String name = name(namespace, claim);
    claims.put(name, Objects.requireNonNull(deleted.remove(name)));
  }

  /** Replaces the claim by another one from outside Fairlead. */
  public synchronized void replace(String namespace, String claim) {
    claims.put(
        name(namespace, claim), new Claim(identities.next(), new UUID(0, 0), true, nodeLabels));
  }

  /** Names of all claims that were ever created, {@code namespace/name}, in order. */
  public synchronized List<String> made() {
    return List.copyOf(made);
  }
}
