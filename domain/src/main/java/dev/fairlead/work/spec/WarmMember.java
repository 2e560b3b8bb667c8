package dev.fairlead.work.spec;

import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.spec.JobSpec.PreemptionSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A member of a warm pool: a running session without a user. A submit of the same session takes it
 * over. Pure.
 */
public final class WarmMember {
  /** Label of a member, with the name of its pool. Users cannot set it. */
  public static final String LABEL = "fairlead.dev/warm-pool";

  /** Priority of members, below all classes, so that every job of a user precedes them. */
  public static final int PRIORITY = -1;

  private static final String SIMULATION = "sim.fairlead.dev/";
  private static final String TRACE = "trace.fairlead.dev/";
  private static final String RUN_FOR = SIMULATION + "run-for";
  private static final String UNTIL_STOPPED = "87600h";

  private WarmMember() {}

  public static boolean is(JobSpec spec) {
    return spec.labels().containsKey(LABEL);
  }

  /** The priority of a job with this spec. */
  public static int priority(JobSpec spec) {
    return is(spec) ? PRIORITY : spec.priorityClass().value();
  }

  /** The name of the member with this number, from 1. */
  public static String name(String pool, int number) {
    return pool + "-warm-" + number;
  }

  /** Reason why a session cannot wait in a pool, or empty when it can. */
  public static Optional<String> objection(JobSpec job) {
    if (job.members() != 1 || job.array() != null) {
      return Optional.of("must have one member and no array");
    }
    if (!job.volumes().isEmpty() || !job.secrets().isEmpty() || job.cloudIdentity() != null) {
      return Optional.of(
          "cannot have volumes, secrets or a cloud identity: its later user is not known");
    }
    if (job.workdir() != null || !job.outputs().isEmpty() || !job.licences().isEmpty()) {
      return Optional.of("cannot have workdir, outputs or licences");
    }
    if (!job.dependsOn().isEmpty()
        || job.notBefore() != null
        || job.deadline() != null
        || job.preflight() != null) {
      return Optional.of("cannot have dependsOn, notBefore, deadline or preflight");
    }
    return job.onUnreachable() == OnUnreachable.AFTER_DEADLINE
        ? Optional.of("cannot have onUnreachable AFTER_DEADLINE: it waits without a time limit")
        : Optional.empty();
  }

  /** The spec of a member that waits. It has no time limit. */
  public static JobSpec of(JobSpec job, String pool, int number) {
    SortedMap<String, String> labels = new TreeMap<>(job.labels());
    labels.put(LABEL, pool);
    SortedMap<String, String> annotations = new TreeMap<>(job.annotations());
    String _ =
        annotations.putIfAbsent(RUN_FOR, UNTIL_STOPPED); // a simulated pod ends by itself otherwise
    return job.with()
        .name(name(pool, number))
        .priorityClass(PriorityClass.LOW)
        .preemption(rules(job.preemption(), true, Duration.ZERO))
        .maxRuntime(null)
        .labels(labels)
        .annotations(annotations)
        .build();
  }

  private static PreemptionSpec rules(PreemptionSpec of, boolean allowed, Duration minRuntime) {
    return new PreemptionSpec(allowed, of.gracePeriod(), minRuntime, of.checkpointTimeout());
  }

  /**
   * Fields of a session, by their names on the wire, with other values than the member has. A
   * session with such a field cannot take the member. Name, labels, priority, {@code minRuntime}
   * and {@code maxRuntime} may differ, because no process of the member depends on them.
   */
  public static List<String> differences(JobSpec member, JobSpec wanted) {
    List<String> fields = new ArrayList<>();
    differs(fields, "launcher", member, wanted, JobSpec::launcher);
    differs(fields, "queue", member, wanted, JobSpec::queue);
    differs(fields, "volumes", member, wanted, JobSpec::volumes);
    differs(fields, "secretEnv", member, wanted, each -> role(each).secretEnv());
    differs(fields, "env", member, wanted, each -> role(each).env());
    differs(fields, "image", member, wanted, each -> role(each).image());
    differs(fields, "command", member, wanted, each -> role(each).command());
    differs(fields, "gpu", member, wanted, each -> role(each).gpu());
    differs(fields, "cpu", member, wanted, each -> role(each).cpuMilli());
    differs(fields, "memory", member, wanted, each -> role(each).memoryMiB());
    differs(fields, "progress", member, wanted, JobSpec::progress);
    differs(fields, "placement", member, wanted, JobSpec::placement);
    if (!wanted.preemption().allowed()) {
      fields.add("preemption");
    }
    if (fields.isEmpty() && !comparable(member).equals(comparable(wanted))) {
      fields.add("another field");
    }
    return fields;
  }

  private static void differs(
      List<String> fields,
      String name,
      JobSpec member,
      JobSpec wanted,
      Function<JobSpec, @Nullable Object> of) {
    if (!Objects.equals(of.apply(member), of.apply(wanted))) {
      fields.add(name);
    }
  }

  private static RoleSpec role(JobSpec spec) {
    return spec.roles().getFirst();
  }

  /** The spec without the parts that may differ. */
  private static JobSpec comparable(JobSpec spec) {
    SortedMap<String, String> annotations = new TreeMap<>(spec.annotations());
    annotations.keySet().removeIf(key -> key.startsWith(SIMULATION) || key.startsWith(TRACE));
    return spec.with()
        .name("")
        .priorityClass(PriorityClass.LOW)
        .preemption(rules(spec.preemption(), true, Duration.ZERO))
        .maxRuntime(null)
        .labels(new TreeMap<>())
        .annotations(annotations)
        .build();
  }
}
