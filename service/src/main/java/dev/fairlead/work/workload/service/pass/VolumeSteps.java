package dev.fairlead.work.workload.service.pass;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.VolumeOutcome;
import dev.fairlead.work.workload.service.attempt.AttemptCase;
import dev.fairlead.work.workload.service.attempt.VolumeRepository;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Prepares the volumes of an attempt before its pods are created: the claim of each exists on the
 * cluster, and its identity is stored. A claim with a stored identity is never created again.
 */
final class VolumeSteps {
  private final VolumeRepository repository;

  /**
   * Volumes with a claim that the last check did not find. No pod is created before a check finds
   * it.
   */
  private final Set<UUID> unreachable = new TreeSet<>();

  VolumeSteps(VolumeRepository repository) {
    this.repository = repository;
  }

  /**
   * Returns the effect that prevents the creation of the pods, null when all volumes exist.
   *
   * @param first whether nothing of the attempt was sent yet, so each claim is checked
   * @param otherwise converts an outcome that does not concern a volume
   */
  @Nullable Effect missing(
      HeldLease lease,
      ClusterGateway gateway,
      Project project,
      AttemptCase wanted,
      boolean first,
      Function<ActionOutcome, Effect> otherwise) {
    SortedMap<String, Volume> mounted = repository.mounted(wanted.job());
    for (String name : wanted.job().spec().volumeNames()) {
      Volume volume = mounted.get(name);
      Effect trouble = trouble(project, wanted, name, volume, otherwise);
      if (trouble == null && volume != null && looks(volume, first)) {
        VolumeOutcome outcome = gateway.provide(repository.order(lease, project, volume));
        if (outcome instanceof VolumeOutcome.There) {
          unreachable.remove(volume.id());
        } else {
          unreachable.add(volume.id());
        }
        trouble = after(lease, volume, outcome, wanted, otherwise);
      }
      if (trouble != null) {
        return trouble;
      }
    }
    return null;
  }

  private boolean looks(Volume volume, boolean first) {
    return first || volume.claimUid() == null || unreachable.contains(volume.id());
  }

  private static @Nullable Effect trouble(
      Project project,
      AttemptCase wanted,
      String name,
      @Nullable Volume volume,
      Function<ActionOutcome, Effect> otherwise) {
    if (volume == null) {
      return refused(
          wanted,
          "project %s no longer has a volume \"%s\". Claim it and submit the job again"
              .formatted(project.name(), name));
    }
    if (!volume.usable()) {
      String why = volume.message() == null ? "" : " (" + volume.message() + ")";
      return refused(
          wanted,
          "volume \"%s\" of project %s is %s%s. Mount another volume and submit the job again"
              .formatted(name, project.name(), volume.state(), why));
    }
    return wanted.attempt().cluster().equals(volume.cluster())
        ? null
        : otherwise.apply(
            missing("volume \"" + name + "\" was placed on another cluster concurrently"));
  }

  private @Nullable Effect after(
      HeldLease lease,
      Volume volume,
      VolumeOutcome outcome,
      AttemptCase wanted,
      Function<ActionOutcome, Effect> otherwise) {
    return switch (outcome) {
      case VolumeOutcome.There there ->
          repository.noted(lease, volume, there).isPresent() ? null : new Effect.Later(wanted);
      /* A single check decides nothing. The volume upkeep checks until it is lost or found. */
      case VolumeOutcome.Lost lost -> new Effect.Later(wanted);
      case VolumeOutcome.Not(ActionOutcome.Refused refused) ->
          otherwise.apply(missing("volume \"%s\": %s".formatted(volume.name(), refused.message())));
      case VolumeOutcome.Not(ActionOutcome why) -> otherwise.apply(why);
    };
  }

  private static ActionOutcome missing(String message) {
    return new ActionOutcome.Refused(ActionOutcome.Why.CLAIM_MISSING, message);
  }

  private static Effect refused(AttemptCase wanted, String message) {
    return new Effect.Refused(wanted, FailureCause.CONFIGURATION, message);
  }
}
