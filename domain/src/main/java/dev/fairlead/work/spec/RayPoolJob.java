package dev.fairlead.work.spec;

import dev.fairlead.work.spec.PlacementSpec.JobTerm;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The two kinds of jobs of a Ray pool: its Ray clusters, which are gangs of launcher {@code ray},
 * and the drivers that users submit, which run inside its clusters. The assignment of a driver to a
 * cluster is a part of its spec. Pure.
 */
public final class RayPoolJob {
  /** Launcher of drivers. */
  public static final String LAUNCHER = "ray-driver";

  /** Label of a driver, with the name of its pool. Users cannot set it. */
  public static final String POOL = "fairlead.dev/ray-pool";

  /** Label of a Ray cluster and of its pods, with the name of its job. */
  public static final String CLUSTER = "fairlead.dev/ray-cluster";

  /** Label of an assigned driver and of its pod, with the name of its Ray cluster. */
  public static final String DRIVER = "fairlead.dev/ray-driver";

  /** Port of the head for drivers, the Ray default. */
  public static final int PORT = 10_001;

  /** Maximum number of drivers of a Ray cluster. */
  public static final int MOST_DRIVERS = 100;

  private static final String ADDRESS = "RAY_ADDRESS";
  private static final String CLUSTER_LAUNCHER = "ray";
  private static final String WITHIN = "cluster";

  /** No Ray cluster has this name, so a driver with it waits. */
  private static final String UNASSIGNED = "unassigned";

  private static final String RUN_FOR = "sim.fairlead.dev/run-for";
  private static final String UNTIL_STOPPED = "87600h";

  private RayPoolJob() {}

  public static boolean isCluster(JobSpec spec) {
    return spec.labels().containsKey(CLUSTER);
  }

  /** The pool of a driver, null for another job. */
  public static @Nullable String pool(JobSpec spec) {
    return spec.labels().get(POOL);
  }

  /** Name of the Ray cluster of a driver, null while it has none. */
  public static @Nullable String cluster(JobSpec spec) {
    return spec.labels().get(DRIVER);
  }

  /** Address of the head that the driver connects to, null while it has none. */
  public static @Nullable String address(JobSpec spec) {
    return spec.roles().getFirst().env().get(ADDRESS);
  }

  /** Address of a head with this DNS name. */
  public static String address(String head) {
    return "ray://" + head + ":" + PORT;
  }

  /** Reason why a job cannot be a Ray cluster of a pool, or empty when it can. */
  public static Optional<String> objection(JobSpec job) {
    if (!job.launcher().equals(CLUSTER_LAUNCHER)) {
      return Optional.of("needs launcher ray");
    }
    return job.gang() && job.array() == null && job.dependsOn().isEmpty()
        ? Optional.empty()
        : Optional.of("must have two or more workers, no array and no dependsOn");
  }

  /** The spec of a Ray cluster with this name, which is unique in its project. */
  public static JobSpec clusterOf(JobSpec job, String name) {
    SortedMap<String, String> labels = new TreeMap<>(job.labels());
    labels.put(CLUSTER, name);
    SortedMap<String, String> annotations = new TreeMap<>(job.annotations());
    String _ = annotations.putIfAbsent(RUN_FOR, UNTIL_STOPPED); // a simulated pod ends otherwise
    return job.with()
        .name(name)
        .maxRuntime(null)
        .labels(labels)
        .annotations(annotations)
        .placement(near(job.placement(), name)) // matches itself, and clusters without near refuse
        .build();
  }

  /** Reason why a job cannot be a driver, or empty when it can. */
  public static Optional<String> driverObjection(JobSpec job) {
    if (job.members() != 1 || job.array() != null) {
      return Optional.of("has one member and no array");
    }
    if (job.mostGpuMilli() > 0) {
      return Optional.of("has no GPU of its own: its tasks run on the GPUs of the Ray cluster");
    }
    return Optional.empty();
  }

  /** The spec of a submitted driver, which waits for a Ray cluster. */
  public static JobSpec driver(JobSpec job, String pool) {
    SortedMap<String, String> labels = new TreeMap<>(job.labels());
    labels.put(POOL, pool);
    return job.with()
        .labels(labels)
        .placement(near(job.placement(), UNASSIGNED))
        .launcher(LAUNCHER)
        .build();
  }

  /** The driver inside the Ray cluster with this name and address of its head. */
  public static JobSpec assigned(JobSpec driver, String cluster, String address) {
    SortedMap<String, String> labels = new TreeMap<>(driver.labels());
    labels.put(DRIVER, cluster);
    return driver
        .with()
        .labels(labels)
        .placement(near(driver.placement(), cluster))
        .roles(environment(driver, address))
        .build();
  }

  /** Returns whether the job is a driver that waits for a Ray cluster. */
  public static boolean unplaced(JobSpec spec) {
    return pool(spec) != null && cluster(spec) == null;
  }

  /** The driver without a Ray cluster. */
  public static JobSpec waiting(JobSpec driver) {
    SortedMap<String, String> labels = new TreeMap<>(driver.labels());
    labels.remove(DRIVER);
    return driver
        .with()
        .labels(labels)
        .placement(near(driver.placement(), UNASSIGNED))
        .roles(environment(driver, null))
        .build();
  }

  /** The spec for another submit: a driver waits for a Ray cluster again. */
  public static JobSpec unassigned(JobSpec spec) {
    return cluster(spec) == null ? spec : waiting(spec);
  }

  /** The spec without the parts that the pool has added, as a user can submit it again. */
  public static JobSpec submitted(JobSpec spec) {
    boolean driver = pool(spec) != null;
    return driver || isCluster(spec)
        ? spec.with()
            .placement(spec.placement().with().near(others(spec.placement())).build())
            .roles(driver ? environment(spec, null) : spec.roles())
            .build()
        : spec;
  }

  private static List<RoleSpec> environment(JobSpec driver, @Nullable String address) {
    return driver.roles().stream()
        .map(role -> {
          SortedMap<String, String> env = new TreeMap<>(role.env());
          if (address == null) {
            env.remove(ADDRESS);
          } else {
            env.put(ADDRESS, address);
          }
          return role.with().env(env).build();
        })
        .toList();
  }

  private static PlacementSpec near(PlacementSpec placement, String cluster) {
    List<JobTerm> terms = new ArrayList<>(others(placement));
    terms.add(new JobTerm(new TreeMap<>(Map.of(CLUSTER, cluster)), WITHIN));
    return placement.with().near(terms).build();
  }

  private static List<JobTerm> others(PlacementSpec placement) {
    return placement.near().stream().filter(term -> !term.jobs().containsKey(CLUSTER)).toList();
  }
}
