package dev.fairlead.work.job.web.spec;

import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Money;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** A merge patch of the changeable fields of a stored job. */
public final class JobPatch {
  private static final List<String> CHANGEABLE =
      List.of("priorityClass", "labels", "maxRuntime", "deadline", "workers");
  private final JobSpecReader specs;

  public JobPatch(JobSpecReader specs) {
    this.specs = specs;
  }

  /**
   * Names of the fields in the patch.
   *
   * @throws Refusal UNKNOWN_FIELD for a field that cannot be changed, INVALID_FIELD
   */
  public static List<String> fields(Body body) {
    FieldProblems problems = new FieldProblems();
    Value patch = body.value(problems);
    Optional<PatchJobRequest> _ = BodyBinder.read(patch, PatchJobRequest.class);
    problems.refuse();
    Fields fields = patch.fields().orElseThrow();
    return CHANGEABLE.stream().filter(fields::has).toList();
  }

  /**
   * Returns the patched spec.
   *
   * @param live live attempts of the job
   * @param cost cost of running attempts with a longer runtime at current prices, null if unknown
   * @param bounds limits of the growth of a spec. A spec that already exceeds them may stay
   *     unchanged
   * @throws Refusal as for a submit of the whole spec, with the fields of the patch
   */
  public JobSpec apply(
      JobSpec spec,
      List<Attempt> live,
      Body body,
      JobSpecReader.Bounds bounds,
      Function<Duration, @Nullable Money> cost) {
    LimitBook.Bound largest = bounds.bytes();
    if (body.growsBeyond(JobSpecResponse.of(spec), (int) largest.value())) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "With its defaults, a spec may have at most %d bytes: %s."
              .formatted(largest.value(), largest.named()));
    }
    boolean workers = fields(body).contains("workers");
    if (workers && !resizable(spec, live)) {
      throw refused(
          "/workers",
          "workers of a running job can be changed only if it was started with minWorkers and"
              + " has a single role.");
    }
    FieldProblems problems = new FieldProblems();
    JobSpec read =
        specs
            .read(
                body.appliedTo(
                        JobSpecResponse.of(withFewest(spec.withoutRepair(), r -> free(spec, r))))
                    .value(problems))
            .orElseThrow(problems::refusal);
    Duration runtime = read.maxRuntime();
    if (!live.isEmpty()
        && spec.onUnreachable() == JobSpec.OnUnreachable.AFTER_DEADLINE
        && !Objects.equals(spec.maxRuntime(), runtime)) {
      throw refused(
          "/maxRuntime",
          "With onUnreachable AFTER_DEADLINE the pods of a job have its maxRuntime from their start"
              + " on: suspend the job, change it when it has stopped, and resume it.");
    }
    if (longer(spec, read) && JobSpecReader.exceeds(runtime, bounds.runtime())) {
      throw refused(
          "/maxRuntime",
          ProblemCode.LIMIT_EXCEEDED,
          JobSpecReader.tooLong(runtime, bounds.runtime()) + ".");
    }
    Money cap = spec.placement().maxCost();
    if (cap != null && longer(spec, read) && live.stream().anyMatch(JobPatch::costs)) {
      covered(cap, runtime == null ? null : cost.apply(runtime));
    }
    return patched(spec, workers ? resized(spec, live, read) : spec.roles(), read);
  }

  private static void covered(Money cap, @Nullable Money longer) {
    if (longer == null) {
      throw refused(
          "/maxRuntime",
          "The cost of this maxRuntime is unknown while the job runs (an elastic job, an array, no maxRuntime, or an "
              + "expired price): suspend the job, change it when it has stopped, and resume it.");
    }
    if (!cap.covers(longer)) {
      throw refused(
          "/maxRuntime",
          "With this maxRuntime the job costs %s at current prices, more than its maxCost of %s."
              .formatted(longer.text(), cap.text()));
    }
  }

  /** Reserved capacity has no price limit, and resources other than GPUs never count for a cap. */
  private static boolean costs(Attempt attempt) {
    return attempt.members().stream()
        .map(Member::flavor)
        .anyMatch(f -> f.capacity() != CapacityType.RESERVED && !f.model().equals(Flavor.CPU));
  }

  private static boolean longer(JobSpec old, JobSpec read) {
    Duration before = old.maxRuntime();
    Duration after = read.maxRuntime();
    return before != null && (after == null || after.compareTo(before) > 0);
  }

  /**
   * For a waiting job that is not elastic, the whole number changes. For any other job, the minimum
   * is unchanged.
   */
  private static List<RoleSpec> resized(JobSpec old, List<Attempt> live, JobSpec read) {
    int wanted = read.roles().getFirst().count();
    int fewest = old.roles().getFirst().minCount();
    if (old.gangRepair() != null && !read.gang()) {
      throw refused("/workers", "workers of a job with gangRepair must be at least two.");
    }
    boolean whole = live.isEmpty() && !old.elastic();
    if (!whole && wanted < fewest) {
      throw refused("/workers", "workers cannot be fewer than minWorkers, which is " + fewest);
    }
    return withFewest(read, role -> whole ? wanted : fewest).roles();
  }

  /** A running job is elastic if it was started as elastic, or once had another size. */
  private static boolean resizable(JobSpec spec, List<Attempt> live) {
    return spec.roles().size() == 1
        && (live.isEmpty()
            || spec.elastic()
            || spec.gangRepair() == null
                && live.stream()
                    .anyMatch(a ->
                        !a.left().stream().allMatch(Member::finished)
                            || a.members().stream().anyMatch(m -> m.standing() != null)));
  }

  /** A minimum that follows the new number does not refuse it. Segments need whole groups. */
  private static int free(JobSpec spec, RoleSpec role) {
    return spec.placement().segment() == null ? 1 : role.minCount();
  }

  private static JobSpec withFewest(JobSpec spec, ToIntFunction<RoleSpec> fewest) {
    return spec.with(
        spec.roles().stream().map(r -> r.sized(r.count(), fewest.applyAsInt(r))).toList());
  }

  private static JobSpec patched(JobSpec old, List<RoleSpec> roles, JobSpec read) {
    return old.with()
        .priorityClass(read.priorityClass())
        .roles(roles)
        .maxRuntime(read.maxRuntime())
        .deadline(read.deadline())
        .labels(labels(old, read))
        .build();
  }

  /** The labels that the service added remain. */
  private static SortedMap<String, String> labels(JobSpec old, JobSpec read) {
    SortedMap<String, String> labels = new TreeMap<>(read.labels());
    old.labels()
        .forEach((key, value) -> {
          if (key.startsWith(ObjectNames.LABEL_PREFIX)) {
            labels.put(key, value);
          }
        });
    return labels;
  }

  private static Refusal refused(String pointer, String detail) {
    return refused(pointer, ProblemCode.INVALID_FIELD, detail);
  }

  private static Refusal refused(String pointer, ProblemCode code, String detail) {
    return new Refusal(code, detail, List.of(new FieldProblem(pointer, code, detail, null)));
  }
}
