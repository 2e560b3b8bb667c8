package dev.fairlead.work.workload.simulation;

import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.work.workload.SimulationAnnotations;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Behaviour of a pod, by its annotations. Unreadable values count as absent.
 *
 * @param startAfter from binding to running
 * @param runFor from running to the end
 * @param exitCode exit code of a pod that fails, 0..255
 * @param rebootAfter from running to the reboot of its node, for {@link Outcome#NODE_REBOOT}
 * @param stopAfter from SIGTERM to the end
 * @param stopExitCode after SIGTERM, 0..255
 * @param checkpointAfter from the request for a checkpoint to the end with exit code 0, null for a
 *     program that ignores requests
 * @param deadline from running until its node ends it, even without a connection, null if none
 */
@RecordBuilder
record PodBehaviour(
    Duration startAfter,
    Duration runFor,
    Outcome outcome,
    int exitCode,
    Duration rebootAfter,
    Duration stopAfter,
    int stopExitCode,
    @Nullable Duration checkpointAfter,
    @Nullable Duration deadline) {
  /** The end of the pod. */
  enum Outcome {
    SUCCESS,
    FAIL,
    OOM,
    HANG,
    IMAGE_ERROR,
    REJECT,
    NODE_REBOOT
  }

  private static final Duration START_AFTER = Duration.ofMillis(100);
  private static final Duration RUN_FOR = Duration.ofSeconds(60);
  private static final int FAILED = 1;
  private static final int TERMINATED = 143;

  /**
   * @param annotations that apply to this pod, already narrowed
   */
  static PodBehaviour of(SortedMap<String, String> annotations) {
    Duration runFor =
        duration(annotations, "finish-after", duration(annotations, "run-for", RUN_FOR));
    return PodBehaviourBuilder.builder()
        .startAfter(duration(annotations, "start-after", START_AFTER))
        .runFor(runFor)
        .outcome(outcome(text(annotations, "outcome")))
        .exitCode(code(annotations, "exit-code", FAILED))
        .rebootAfter(duration(annotations, "after", runFor))
        .stopAfter(duration(annotations, "stop-after", Duration.ZERO))
        .stopExitCode(code(annotations, "stop-exit-code", TERMINATED))
        .checkpointAfter(DurationText.parse(text(annotations, "checkpoint-after")).orElse(null))
        .deadline(null)
        .build();
  }

  PodBehaviour endingAfter(@Nullable Duration most) {
    return PodBehaviourBuilder.builder(this).deadline(most).build();
  }

  private static Outcome outcome(String text) {
    return switch (text) {
      case "fail" -> Outcome.FAIL;
      case "oom" -> Outcome.OOM;
      case "hang" -> Outcome.HANG;
      case "image-error" -> Outcome.IMAGE_ERROR;
      case "reject" -> Outcome.REJECT;
      case "node-reboot" -> Outcome.NODE_REBOOT;
      default -> Outcome.SUCCESS;
    };
  }

  private static Duration duration(
      SortedMap<String, String> annotations, String name, Duration absent) {
    return DurationText.parse(text(annotations, name)).orElse(absent);
  }

  private static int code(SortedMap<String, String> annotations, String name, int absent) {
    String text = text(annotations, name);
    return text.matches("[0-9]{1,3}") ? Math.min(Integer.parseInt(text), 255) : absent;
  }

  private static String text(SortedMap<String, String> annotations, String name) {
    return annotations.getOrDefault(SimulationAnnotations.PREFIX + name, "");
  }
}
