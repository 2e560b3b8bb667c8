package dev.fairlead.work.workload.slurm;

import dev.fairlead.front.SeenJob;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.launcher.Launchers;
import dev.fairlead.work.spec.ExtraContainers;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Requests of jobs that need containers or a program of Fairlead on the node, and that a Slurm
 * cluster therefore refuses.
 */
@SuppressWarnings("ImmutableEnumChecker") // predicates without state
enum SlurmLimits {
  IMAGE(
      "has an image. A Slurm cluster starts its command on the node itself, which requires"
          + " image: none",
      spec -> anyRole(spec, role -> !role.image().equals(RoleSpec.NO_IMAGE))),
  COMMAND(
      "has no command, and there is no image with one",
      spec ->
          anyRole(
              spec, role -> role.command().command().isEmpty() && role.command().args().isEmpty())),
  CONTAINERS(
      "has init containers or sidecars",
      spec -> anyRole(spec, role -> !role.extraContainers().equals(ExtraContainers.NONE))),
  VOLUMES("mounts volumes", spec -> !spec.volumes().isEmpty()),
  WORKDIR("brings a work directory", spec -> spec.workdir() != null),
  FILES(
      "has a launcher with files in " + ObjectNames.FILES,
      spec ->
          !Launchers.of(spec.launcher()).files().isEmpty()
              || Launchers.of(spec.launcher()).wrapper().stream()
                  .anyMatch(word -> word.contains("hostsFile"))),
  CHECKPOINT(
      "requests a checkpoint before it is stopped",
      spec -> spec.preemption().checkpointTimeout() != null),
  REPORTS(
      "reports progress or outputs", spec -> spec.progress() != null || !spec.outputs().isEmpty()),
  ELASTIC(
      "is elastic or replaces failed members", spec -> spec.elastic() || spec.gangRepair() != null),
  PARTS_OF_GPUS(
      "requests parts of GPUs",
      spec ->
          anyRole(
              spec,
              role ->
                  role.gpu().kind() != GpuRequest.Kind.NONE
                      && role.gpu().kind() != GpuRequest.Kind.WHOLE)),
  FABRIC("requests rdma", spec -> anyRole(spec, RoleSpec::rdma)),
  IDENTITY("has a cloud identity", spec -> spec.cloudIdentity() != null),
  IN_PLACE(
      "reserves nodes for an object of a front cluster",
      spec -> spec.annotations().containsKey(SeenJob.IN_PLACE)),
  SIZE(
      "has more than " + SlurmScript.MOST_MEMBERS + " members",
      spec -> spec.members() > SlurmScript.MOST_MEMBERS);

  private final String text;
  private final Predicate<JobSpec> asked;

  SlurmLimits(String text, Predicate<JobSpec> asked) {
    this.text = text;
    this.asked = asked;
  }

  private static boolean anyRole(JobSpec spec, Predicate<RoleSpec> asked) {
    return spec.roles().stream().anyMatch(asked);
  }

  /** Reason why a Slurm cluster cannot run the job, null if it can. */
  static @Nullable String trouble(Job job) {
    for (SlurmLimits limit : values()) {
      if (limit.asked.test(job.spec())) {
        return "the job " + limit.text;
      }
    }
    return null;
  }
}
