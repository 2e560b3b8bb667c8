package dev.fairlead.work.serving;

import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.PreemptionSpec;
import dev.fairlead.work.spec.ProgressSpec;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A version of a service. It never changes.
 *
 * @param number 1 for the first version of the service
 * @param job one replica, without the fields that {@link #objection} names
 * @param createdBy the user on whose behalf its replicas are submitted
 * @param endpoint port and path at which a replica receives requests
 */
public record ServiceVersion(
    ModelServiceId service,
    int number,
    JobSpec job,
    String createdBy,
    Instant createdAt,
    Endpoint endpoint) {
  /** Maximum number of stored versions of a service. */
  public static final int MOST = 10_000;

  /** Label of the jobs of replicas: the name of the service. */
  public static final String SERVICE_LABEL = "service";

  /** Label of the jobs of replicas: the number of the version. */
  public static final String VERSION_LABEL = "service-version";

  private static final String PREFIX = JobSpec.OF_SERVICE;

  /** Annotation with the bare id of the service. */
  public static final String OF_SERVICE = PREFIX + "service";

  /** Annotation with the number of the version. */
  public static final String OF_VERSION = PREFIX + "version";

  /** Annotation with the port of {@link Endpoint}. */
  public static final String PORT = PREFIX + "port";

  /** Annotation with the path of {@link Endpoint}, absent without one. */
  public static final String READY_PATH = PREFIX + "ready-path";

  /** Annotation with the runtime that filled the job. */
  public static final String RUNTIME = PREFIX + "runtime";

  /** Annotation with the address of the model. */
  public static final String MODEL = PREFIX + "model";

  /** Annotation of a version with an OpenAI-compatible server. */
  public static final String OPENAI = PREFIX + "openai";

  private static final String RUN_FOR = "sim.fairlead.dev/run-for";
  private static final String UNTIL_STOPPED = "87600h";

  /**
   * Port of a replica.
   *
   * @param port TCP port of its first role's first member, 1 to 65535
   * @param readyPath path that answers with a status below 400 when the replica takes requests,
   *     null if an open port is enough
   */
  public record Endpoint(int port, @Nullable String readyPath) {
    public static final Endpoint DEFAULT = new Endpoint(8080, null);
  }

  /**
   * The job with a record of its runtime.
   *
   * @param model address of the model, null if none
   * @param openAi whether the runtime is compatible with the OpenAI API
   */
  public static JobSpec served(
      JobSpec job, String runtime, @Nullable String model, boolean openAi) {
    JobSpec named = job.annotated(RUNTIME, runtime);
    JobSpec recorded = openAi ? named.annotated(OPENAI, "true") : named;
    return model == null ? recorded : recorded.annotated(MODEL, model);
  }

  /**
   * Returns whether the version's server is OpenAI-compatible and serves one model with the name of
   * the service.
   */
  public boolean openAi() {
    return job.annotations().containsKey(OPENAI);
  }

  /** Reason why a job cannot be a replica, or empty when it can. */
  public static Optional<String> objection(JobSpec job) {
    if (job.array() != null) {
      return Optional.of("cannot have array: minReplicas is the number of replicas");
    }
    if (!job.dependsOn().isEmpty()
        || job.notBefore() != null
        || job.deadline() != null
        || job.maxRuntime() != null) {
      return Optional.of(
          "cannot have dependsOn, notBefore, deadline or maxRuntime: a replica runs until it is"
              + " stopped");
    }
    if (job.progress() != null && job.progress().onTimeout() == ProgressSpec.OnTimeout.SUSPEND) {
      return Optional.of(
          "must not have onTimeout SUSPEND, because a suspended replica is not resumed");
    }
    return Optional.empty();
  }

  /** The job of a replica. Replicas of the floor are not preemptible. */
  public JobSpec replica(ModelService settings, Replica replica) {
    SortedMap<String, String> labels = new TreeMap<>(job.labels());
    labels.put(SERVICE_LABEL, settings.name());
    labels.put(VERSION_LABEL, Integer.toString(number));
    SortedMap<String, String> annotations = new TreeMap<>(job.annotations());
    String _ =
        annotations.putIfAbsent(RUN_FOR, UNTIL_STOPPED); // a simulated pod ends by itself otherwise
    annotations.put(OF_SERVICE, service.bare());
    annotations.put(OF_VERSION, Integer.toString(number));
    annotations.put(PORT, Integer.toString(endpoint.port()));
    if (endpoint.readyPath() != null) {
      annotations.put(READY_PATH, endpoint.readyPath());
    }
    PreemptionSpec rules = job.preemption();
    PreemptionSpec preemption =
        new PreemptionSpec(
            replica.surplus() && rules.allowed(),
            rules.gracePeriod(),
            rules.minRuntime(),
            rules.checkpointTimeout());
    return job.replica(replica.jobName(settings.name()), preemption, labels, annotations);
  }
}
