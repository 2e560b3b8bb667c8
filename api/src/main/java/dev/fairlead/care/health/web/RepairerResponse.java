package dev.fairlead.care.health.web;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.repair.RepairTask;
import dev.fairlead.care.health.repair.RepairTaskState;
import dev.fairlead.care.health.repair.Repairer;
import dev.fairlead.care.health.service.repair.RepairerView;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The repairer of a cluster's machines.
 *
 * @param cluster name of the cluster
 * @param steps steps that are requested from it
 * @param tests whether it tests a machine after each step, and a machine that passes returns to
 *     service
 * @param webhook address of its webhook, null for a janitor of the cluster
 * @param annotations whether it is a janitor of the cluster, which is called by annotations of its
 *     nodes
 * @param signingKey signing key of the calls in hexadecimal digits, only in the response that sets
 *     the repairer
 * @param tasks its present tasks
 */
@RecordBuilder
record RepairerResponse(
    String cluster,
    List<RepairStep> steps,
    boolean tests,
    @Nullable Webhook webhook,
    boolean annotations,
    @Nullable String signingKey,
    List<Task> tasks,
    long version) {
  /** The webhook of a repairer. */
  @Schema(name = "RepairerWebhookResponse")
  record Webhook(String url, @Nullable String caData) {}

  /**
   * A requested step.
   *
   * @param id idempotency key of the request
   * @param repair id of the repair
   * @param node name of the node
   * @param reference name of the task at the repairer, such as a ticket number, empty if none
   * @param unanswered number of consecutive calls with no response or an implausible one
   * @param message last response of the repairer, or the reason why it is not trusted
   */
  @RecordBuilder
  @Schema(name = "RepairTaskResponse")
  record Task(
      String id,
      String repair,
      String node,
      RepairStep step,
      RepairTaskState state,
      Instant orderedAt,
      Instant deadline,
      String reference,
      int unanswered,
      String message) {
    static Task of(RepairTask task) {
      return RepairerResponseTaskBuilder.builder()
          .id(task.id().text())
          .repair(task.repair().text())
          .node(task.nodeName())
          .step(task.step())
          .state(task.state())
          .orderedAt(task.orderedAt())
          .deadline(task.status().deadline())
          .reference(task.talk().reference())
          .unanswered(task.talk().unanswered())
          .message(task.talk().message())
          .build();
    }
  }

  private static @Nullable Webhook webhook(Repairer repairer) {
    String url = repairer.url();
    return url == null ? null : new Webhook(url, repairer.caData());
  }

  static RepairerResponse of(RepairerView view) {
    return RepairerResponseBuilder.builder()
        .cluster(view.cluster())
        .steps(view.repairer().steps())
        .tests(view.repairer().tests())
        .webhook(webhook(view.repairer()))
        .annotations(view.repairer().url() == null)
        .signingKey(view.signingKey())
        .tasks(view.open().stream().map(Task::of).toList())
        .version(view.repairer().version())
        .build();
  }
}
