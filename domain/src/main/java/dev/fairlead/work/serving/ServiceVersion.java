package dev.fairlead.work.serving;

import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.PreemptionSpec;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A version of a service. It never changes.
 *
 * @param number 1 for the first version of the service
 * @param job one replica, without the fields that {@link #objection} names
 * @param createdBy the user in whose name its replicas are submitted
 */
public record ServiceVersion(
    ModelServiceId service, int number, JobSpec job, String createdBy, Instant createdAt) {
  /** Maximum number of stored versions of a service. */
  public static final int MOST = 10_000;

  /** Label of the jobs of replicas: the name of the service. */
  public static final String SERVICE_LABEL = "service";

  /** Label of the jobs of replicas: the number of the version. */
  public static final String VERSION_LABEL = "service-version";

  private static final String RUN_FOR = "sim.fairlead.dev/run-for";
  private static final String UNTIL_STOPPED = "3650d";

  /** Why a job cannot be a replica, or empty when it can. */
  public static Optional<String> objection(JobSpec job) {
    if (job.array() != null) {
      return Optional.of("must have no array: minReplicas is the number of replicas");
    }
    if (!job.dependsOn().isEmpty()
        || job.notBefore() != null
        || job.deadline() != null
        || job.maxRuntime() != null) {
      return Optional.of(
          "must have no dependsOn, notBefore, deadline and maxRuntime: a replica runs until it is"
              + " stopped");
    }
    return Optional.empty();
  }

  /** The job of a replica. Replicas of the floor are not preemptible. */
  public JobSpec replica(ModelService service, ServiceState state, Replica replica) {
    SortedMap<String, String> labels = new TreeMap<>(job.labels());
    labels.put(SERVICE_LABEL, service.name());
    labels.put(VERSION_LABEL, Integer.toString(number));
    SortedMap<String, String> annotations = new TreeMap<>(job.annotations());
    String _ =
        annotations.putIfAbsent(RUN_FOR, UNTIL_STOPPED); // a simulated pod ends by itself otherwise
    PreemptionSpec rules = job.preemption();
    PreemptionSpec preemption =
        new PreemptionSpec(
            state.aboveFloor(replica, service.minReplicas()) && rules.allowed(),
            rules.gracePeriod(),
            rules.minRuntime(),
            rules.checkpointTimeout());
    return job.replica(replica.jobName(service.name()), preemption, labels, annotations);
  }
}
