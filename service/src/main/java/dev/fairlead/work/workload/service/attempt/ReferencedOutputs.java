package dev.fairlead.work.workload.service.attempt;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingInt;

import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.output.OutputReference;
import dev.fairlead.work.output.OutputReference.Use;
import dev.fairlead.work.output.OutputStore;
import dev.fairlead.work.output.Outputs;
import dev.fairlead.work.spec.JobSpec.Dependency;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Outputs of dependencies that a job references, at the launch of an attempt. A dependency has
 * ended before the launch, and the outputs of an ended job are final, so all attempts get the same
 * values.
 *
 * @param values values by the text of their reference, empty in case of trouble
 * @param trouble why the job cannot start, null if it can
 */
public record ReferencedOutputs(SortedMap<String, Secret> values, @Nullable Trouble trouble) {
  private static final ReferencedOutputs NONE =
      new ReferencedOutputs(Collections.emptySortedMap(), null);

  /**
   * Why a job cannot start.
   *
   * @param why human-readable text, without values
   */
  public record Trouble(FailureCause cause, String why) {}

  static ReferencedOutputs read(JobStore jobs, OutputStore outputs, Job job) {
    List<Use> uses = OutputReference.uses(job.spec());
    if (uses.isEmpty()) {
      return NONE;
    }
    List<Job> dependencies =
        job.spec().dependsOn().stream()
            .map(Dependency::job)
            .map(id -> jobs.find(job.tenant(), id))
            .flatMap(Optional::stream)
            .filter(found -> found.project().equals(job.project()))
            .toList();
    Function<Job, SortedMap<String, String>> read =
        each ->
            jobs.latestAttempts(each.tenant(), List.of(each.id())).stream()
                .findFirst()
                .map(newest -> outputs.of(each.tenant(), each.id(), newest.id()))
                .orElseGet(TreeMap::new);
    SortedMap<Job, SortedMap<String, String>> ofJobs =
        new TreeMap<>((one, other) -> one.id().compareTo(other.id()));
    SortedMap<String, Secret> values = new TreeMap<>();
    for (Use use : uses) {
      OutputReference reference = use.reference();
      Optional<Job> named =
          dependencies.stream().filter(each -> reference.names(each.id(), each.name())).findFirst();
      if (named.isEmpty()) {
        return missing(reference, "job %s no longer exists".formatted(reference.job()));
      }
      String value = ofJobs.computeIfAbsent(named.get(), read).get(reference.output());
      if (value == null) {
        return missing(
            reference,
            "job %s ended as %s without reporting it"
                .formatted(named.get().name(), named.get().state()));
      }
      values.put(reference.text(), new Secret(value));
    }
    return bounded(new ReferencedOutputs(values, null), uses);
  }

  private static ReferencedOutputs bounded(ReferencedOutputs read, List<Use> uses) {
    int largest =
        uses.stream().collect(groupingBy(Use::role, summingInt(read::bytes))).values().stream()
            .max(Integer::compare)
            .orElse(0);
    return largest <= Outputs.MOST_REFERENCED_BYTES
        ? read
        : refused(
            FailureCause.CONFIGURATION,
            "the outputs that a role references have %d bytes in total, but at most %d are allowed"
                .formatted(largest, Outputs.MOST_REFERENCED_BYTES));
  }

  private int bytes(Use use) {
    Secret value = values.get(use.reference().text());
    return value == null ? 0 : value.reveal().getBytes(StandardCharsets.UTF_8).length;
  }

  private static ReferencedOutputs missing(OutputReference reference, String why) {
    return refused(
        FailureCause.OUTPUT_MISSING, "no value exists for %s: %s".formatted(reference.text(), why));
  }

  private static ReferencedOutputs refused(FailureCause cause, String why) {
    return new ReferencedOutputs(Collections.emptySortedMap(), new Trouble(cause, why));
  }
}
