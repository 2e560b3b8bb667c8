package dev.fairlead.work.job.service.submit;

import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.licence.LicenceStore;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.people.secret.ProjectSecretStore;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.attempt.CheckpointLimit;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.service.spi.RayPools;
import dev.fairlead.work.job.submit.FeasibilityCheck;
import dev.fairlead.work.job.submit.PreflightRules;
import dev.fairlead.work.job.submit.SubmitPolicies;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.workdir.WorkdirStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.springframework.stereotype.Component;

/** The checks of the spec of a new job. */
@Component
public class SubmitChecks {
  private final PoolStore pools;
  private final ProjectSecretStore secrets;
  private final VolumeStore volumes;
  private final CheckpointLimit checkpoints;
  private final LicenceStore licences;
  private final PreflightRules preflights;
  private final SubmitPolicies policies;
  private final WorkdirStore workdirs;
  private final ConfigStore configuration;
  private final RayPools rayPools;

  /** One condition of a spec. */
  @FunctionalInterface
  interface Check {
    /**
     * @throws Refusal with the field that breaks the condition
     */
    void require(JobSpec spec);
  }

  public SubmitChecks(
      PoolStore pools,
      ProjectSecretStore secrets,
      VolumeStore volumes,
      CheckpointLimit checkpoints,
      LicenceStore licences,
      PreflightRules preflights,
      SubmitPolicies policies,
      WorkdirStore workdirs,
      ConfigStore configuration,
      RayPools rayPools) {
    this.pools = pools;
    this.secrets = secrets;
    this.volumes = volumes;
    this.checkpoints = checkpoints;
    this.licences = licences;
    this.preflights = preflights;
    this.policies = policies;
    this.workdirs = workdirs;
    this.configuration = configuration;
    this.rayPools = rayPools;
  }

  /**
   * The checks for the jobs of one request, in their order: the first that fails refuses the job.
   * Checks that need rows, each read once. Not thread-safe.
   *
   * @param jobs finds a job of the tenant, including jobs of this request
   */
  List<Check> of(
      Actor actor,
      Project project,
      FeasibilityCheck.OfFleet fleet,
      Function<JobId, Optional<Job>> jobs) {
    return List.of(
        new NamedPools(pools, actor.tenant())::known,
        new NamedSecrets(secrets, project)::known,
        new NamedVolumes(volumes, project)::known,
        spec -> NamedWorkdirs.known(spec, project, workdirs),
        spec -> NamedCloudIdentity.known(spec, project, configuration),
        spec -> rayPools.known(spec, project),
        spec -> NamedOutputs.known(spec, project, jobs),
        this::checkpointsInTime,
        spec -> NamedLicences.known(spec, licences),
        preflights::known,
        spec -> NamedModels.known(spec, fleet),
        spec -> NamedClusters.start(spec, fleet),
        spec -> policies.require(actor.tenant(), actor.name(), project, spec));
  }

  private void checkpointsInTime(JobSpec spec) {
    Duration wanted = spec.preemption().checkpointTimeout();
    if (wanted != null && wanted.compareTo(checkpoints.longest()) > 0) {
      String most = DurationText.of(checkpoints.longest());
      throw Refusal.field(
          "/preemption/checkpointTimeout",
          "checkpointTimeout can be at most " + most + " here, which an operator can raise.",
          most);
    }
  }

  /**
   * Claims the code of stored jobs in the open transaction.
   *
   * @throws Refusal INVALID_FIELD for code that was deleted since it was checked
   */
  void claim(List<Job> stored) {
    NamedWorkdirs.claim(stored, workdirs);
  }
}
