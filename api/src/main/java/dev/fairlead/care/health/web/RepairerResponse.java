package dev.fairlead.care.health.web;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.repair.RepairTask;
import dev.fairlead.care.health.repair.RepairTaskState;
import dev.fairlead.care.health.repair.Repairer;
import dev.fairlead.care.health.service.repair.RepairerView;
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
      return new Task(
          task.id().text(),
          task.repair().text(),
          task.nodeName(),
          task.step(),
          task.state(),
          task.orderedAt(),
          task.status().deadline(),
          task.talk().reference(),
          task.talk().unanswered(),
          task.talk().message());
    }
  }

  private static @Nullable Webhook webhook(Repairer repairer) {
    String url = repairer.url();
    return url == null ? null : new Webhook(url, repairer.caData());
  }

  static RepairerResponse of(RepairerView view) {
    return new RepairerResponse(
        view.cluster(),
        view.repairer().steps(),
        view.repairer().tests(),
        webhook(view.repairer()),
        view.repairer().url() == null,
        view.signingKey(),
        view.open().stream().map(Task::of).toList(),
        view.repairer().version());
  }
}
