package dev.fairlead.care.health.web;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.RepairTask;
import dev.fairlead.care.health.RepairTaskState;
import dev.fairlead.care.health.Repairer;
import dev.fairlead.care.health.service.RepairerView;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What repairs the machines of a cluster.
 *
 * @param cluster its name
 * @param steps that it is asked for
 * @param tests whether it tests a machine after each step, and one that passes comes back
 * @param webhook where it is asked, null for a janitor of the cluster
 * @param annotations whether it is a janitor of the cluster, asked by annotations of its nodes
 * @param signingKey of the calls, in hexadecimal digits; only in the answer that sets the repairer
 * @param tasks that it has now
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
  /** Where it is asked. */
  @Schema(name = "RepairerWebhookResponse")
  record Webhook(String url, @Nullable String caData) {}

  /**
   * A step that it was asked for.
   *
   * @param id the key under which it is asked
   * @param repair id of the repair
   * @param node its name
   * @param reference what it calls the task, such as the number of a ticket; empty for nothing
   * @param unanswered how often in a row it did not answer, or was not believed
   * @param message what it said last, or why it is not believed
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
          task.deadline(),
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
